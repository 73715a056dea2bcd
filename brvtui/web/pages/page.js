// Keeps the key of connections in this port's own storage, and tells the terminal where to connect.
const STORED = "brv-tui-key";
const terminal = document.getElementById("terminal");
const given = document.documentElement.dataset.key;
if (given) {
  localStorage.setItem(STORED, given);
  history.replaceState(null, "", location.pathname); // the token stays out of the address bar and the history
}
const key = localStorage.getItem(STORED);
terminal.dataset.sessionWebsocketUrl = new URL(`ws/${key}`, location.href).href.replace(/^http/, "ws");
const why = document.getElementById("why");
document.getElementById("again").addEventListener("click", async () => {
  try {
    await fetch(location.href, { method: "HEAD" });
    location.reload();
  } catch {
    why.textContent = "brv-tui serve has ended as well: start it again in its terminal, and open the address it prints.";
  }
});
addEventListener("load", () => setTimeout(() => {
  // Keys reach the app immediately, without a click into the terminal.
  document.querySelector(".xterm-helper-textarea")?.focus();
  // The page's margins get the theme's background, which the app sets in the terminal (OSC 11).
  const viewport = document.querySelector(".xterm-viewport");
  if (!viewport) return;
  new MutationObserver(() => {
    document.documentElement.style.background = document.body.style.background = viewport.style.backgroundColor;
  }).observe(viewport, { attributes: true, attributeFilter: ["style"] });
}));
// A long paste is sent in pieces, since the server accepts messages of up to 1 MB, and a character needs at most 6 bytes.
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (message) {
  if (message.length <= 100_000) return send.call(this, message);
  const [kind, text] = JSON.parse(message);
  for (const piece of text.match(/.{1,100000}/gsu)) send.call(this, JSON.stringify([kind, piece]));
};
