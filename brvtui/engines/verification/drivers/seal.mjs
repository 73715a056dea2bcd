// Loaded before anything else into a process that runs an installed engine (node --import seal.mjs …).
// Stops the clock at BRVTUI_NOW (milliseconds since 1970), and refuses everything that could leave the process: sockets, name
// look-ups, requests, and other processes. Each refusal is an ordinary exception, and a line in BRVTUI_REFUSALS (a descriptor).
import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { writeSync } from 'node:fs';
import http2 from 'node:http2';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import tls from 'node:tls';
import { isMainThread, Worker } from 'node:worker_threads';

// Ends this process after its parent has ended, even if the engine never returns.
const watch = `const parent = process.ppid;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);`;
if (isMainThread) new Worker(watch, { eval: true, execArgv: [], env: {} }).unref();

const now = Number(process.env.BRVTUI_NOW);
const refusals = Number(process.env.BRVTUI_REFUSALS || 2);

const SystemDate = globalThis.Date;
globalThis.Date = new Proxy(SystemDate, {
  construct: (target, given, self) => Reflect.construct(target, given.length === 0 ? [now] : given, self),
  apply: (target) => new target(now).toString(),
  get: (target, name) => (name === 'now' ? () => now : target[name]),
});

function refusing(what) {
  return function refused() {
    try {
      writeSync(refusals, `refused: ${what}\n`);
    } catch {
      // the refusals are not counted
    }
    throw new Error(`brv-tui refuses: ${what}`);
  };
}

function close(owner, what, ...names) {
  for (const name of names) if (name in owner) owner[name] = refusing(`${what}.${name}`);
}

close(childProcess, 'child_process', 'exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync');
close(net, 'net', 'connect', 'createConnection');
close(net.Socket.prototype, 'socket', 'connect');
close(net.Server.prototype, 'server', 'listen');
close(tls, 'tls', 'connect');
close(http2, 'http2', 'connect');
close(dgram, 'dgram', 'createSocket');
close(cluster, 'cluster', 'fork');
for (const resolver of [dns, dns.promises]) {
  close(resolver, 'dns', ...Object.keys(resolver).filter((name) => /^(lookup|resolve|reverse)/.test(name)));
}
for (const name of ['fetch', 'WebSocket', 'EventSource']) {
  if (name in globalThis) globalThis[name] = refusing(name);
}
syncBuiltinESMExports();
