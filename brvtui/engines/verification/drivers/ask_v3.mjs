// Queries an installed byterover-cli through its own modules, and prints a line of JSON for each result.
// The request is JSON on standard input:
//   {"package": folder of the package, "project": folder, "limit": n, "signals": {path: signals},
//    "queries": [{"id", "query"}]}
// Lines: {"at": "ready", version, documents}, {"at": "answer", id, search, raw, run}, {"at": "moved", what}
// (its modules are in other places), {"at": "incomplete", what} (a package that it needs is missing), {"at": "failed", what},
// {"at": "end"}. seal.mjs must be loaded before it. The engine's own output goes to standard error.
import { readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const request = JSON.parse(readFileSync(0, 'utf8'));
console.log = console.info = console.debug = console.warn = console.error;

function say(line) {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10); // the pipe is full: brv-tui reads more slowly
    }
  }
}

const why = (error) => String(error?.message ?? error).split('\n')[0];

class Moved extends Error {}

// A package that this one needs is missing: `npm install` was not run, or did not finish.
class Incomplete extends Error {}

// Returns the class `name` from a module of the package; throws Moved if it is not there.
async function part(file, name) {
  let found;
  try {
    found = await import(pathToFileURL(path.join(request.package, 'dist', file)).href);
  } catch (error) {
    const lacks = /Cannot find package '([^']+)'/.exec(why(error));
    if (lacks) throw new Incomplete(lacks[1]);
    throw new Moved(`dist/${file}: ${why(error)}`);
  }
  if (typeof found[name] !== 'function') throw new Moved(`dist/${file}: has no ${name}`);
  return found[name];
}

const silent = { debug() {}, error() {}, info() {}, warn() {} };

// Runs the engine's own search on the project, with the given signals in a store in memory. The index is kept for the whole
// process, so that no access hit is written, and no score changes between two queries.
async function opened() {
  const Files = await part('agent/infra/file-system/file-system-service.js', 'FileSystemService');
  const Keys = await part('agent/infra/storage/file-key-storage.js', 'FileKeyStorage');
  const Signals = await part('server/infra/context-tree/runtime-signal-store.js', 'RuntimeSignalStore');
  const Search = await part(
    'agent/infra/tools/implementations/search-knowledge-service.js',
    'SearchKnowledgeService',
  );
  const Router = await part('server/infra/executor/query-executor.js', 'QueryExecutor');
  const fileSystem = new Files({ allowedPaths: [request.project], workingDirectory: request.project });
  await fileSystem.initialize();
  const keys = new Keys({ inMemory: true });
  await keys.initialize();
  const runtimeSignalStore = new Signals(keys, silent);
  for (const [note, signals] of Object.entries(request.signals)) await runtimeSignalStore.set(note, signals);
  const searchService = new Search(fileSystem, {
    baseDirectory: request.project,
    cacheTtlMs: Number.MAX_SAFE_INTEGER,
    runtimeSignalStore,
  });
  const router = () =>
    new Router({ baseDirectory: request.project, enableCache: true, fileSystem, searchService });
  return { router, searchService };
}

// A stub that answers every prompt with the same words, so that the router finishes without a model.
function standIn() {
  const seen = { asked: false };
  const agent = {
    createTaskSession: async () => 'session',
    deleteTaskSession: async () => {},
    executeOnSession: async () => {
      seen.asked = true;
      return 'answered by nobody';
    },
    setSandboxVariableOnSession: () => {},
  };
  return { agent, seen };
}

const listed = (found) => found.map((one) => ({ path: one.path, score: one.score }));

async function asked(engine, question) {
  const line = { at: 'answer', id: question.id };
  const { query } = question;
  try {
    const found = await engine.searchService.search(query, { limit: request.limit });
    line.search = { results: listed(found.results), total: found.totalFound };
  } catch (error) {
    line.search = { error: why(error) };
  }
  engine.searchService.pendingAccessHits?.clear();
  try {
    const router = engine.router();
    const { agent, seen } = standIn();
    const first = await router.executeWithAgent(agent, { query, taskId: `${question.id}-first` });
    const asksModel = seen.asked;
    const again = await router.executeWithAgent(agent, { query, taskId: `${question.id}-again` });
    line.run = { again: again.tier, asks_model: asksModel, matched: listed(first.matchedDocs), tier: first.tier };
  } catch (error) {
    line.run = { error: why(error) };
  }
  engine.searchService.pendingAccessHits?.clear();
  return line;
}

// Returns the best text scores of MiniSearch itself, with words joined by OR, if its index is accessible.
function raw(engine, query) {
  const index = engine.searchService.state?.cachedIndex?.index;
  if (!index) return null;
  const found = index.search(query, { combineWith: 'OR' }).slice(0, request.limit);
  return found.map((one) => ({ path: one.id.slice(one.id.indexOf('::') + 2), score: one.score }));
}

try {
  const engine = await opened();
  try {
    await engine.searchService.search('begin', { limit: 1 });
  } catch {
    // every search of this tree fails, and each query reports it
  }
  engine.searchService.pendingAccessHits?.clear();
  const { version } = JSON.parse(readFileSync(path.join(request.package, 'package.json'), 'utf8'));
  say({ at: 'ready', documents: engine.searchService.state?.cachedIndex?.documentMap?.size ?? null, version });
  for (const question of request.queries) {
    const line = await asked(engine, question);
    say({ ...line, raw: raw(engine, question.query) });
  }
  say({ at: 'end' });
  process.exit(0);
} catch (error) {
  const at = error instanceof Moved ? 'moved' : error instanceof Incomplete ? 'incomplete' : 'failed';
  say({ at, what: why(error) });
  process.exit(1);
}
