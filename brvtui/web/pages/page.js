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
document.getElementById("again").addEventListener("click", () => location.reload());
// Keys reach the app at once, without a click into the terminal.
addEventListener("load", () => setTimeout(() => document.querySelector(".xterm-helper-textarea")?.focus()));
