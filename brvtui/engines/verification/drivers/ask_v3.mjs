// Asks an installed byterover-cli, by its own modules, and prints a line of JSON for each thing that it finds out.
// The request is JSON on the standard input:
//   {"package": folder of the package, "project": folder, "limit": n, "signals": {path: signals},
//    "queries": [{"id", "query"}]}
// Lines: {"at": "ready", version, documents}, {"at": "answer", id, search, raw, run}, {"at": "moved", what}
// (its modules lie elsewhere), {"at": "incomplete", what} (a package that it needs is missing), {"at": "failed", what},
// {"at": "end"}. Needs seal.mjs loaded before it. Everything that the engine prints goes to the standard error.
import { readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const request = JSON.parse(readFileSync(0, 'utf8'));
console.log = console.info = console.debug = console.warn = console.error;

function say(line) {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

const why = (error) => String(error?.message ?? error).split('\n')[0];

class Moved extends Error {}

// What another package lacks that this one needs: `npm install` was not run, or did not end.
class Incomplete extends Error {}

// The class `name` of a module of the package, or Moved.
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

// The engine's own search over the project, with the given signals in a store in memory. Its index stays for the whole
// process, so that no access hit is written and no score moves between two questions.
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

// A model that answers any prompt with the same words, so that the router comes to its end without one.
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

// The first text scores by MiniSearch alone, words joined by OR, where its index can be reached.
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
    // a tree with which every search fails: each question says so
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
