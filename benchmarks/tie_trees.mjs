// Runs queries over many trees in an installed byterover-cli, in one process, and prints a line of JSON for each tree.
//
//   node tie_trees.mjs PACKAGE NOW_MS PROJECT... : each PROJECT as `tie_trees.py` writes it
//
// A line is {"limit", "cases": [{id, query, search, query_run}]}, in the format of recorded answers. The clock is
// stopped. No model is called; a stub answers the prompts of tiers 3 and 4.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [pkg, now, ...projects] = process.argv.slice(2);
Date.now = () => Number(now);
console.warn = () => {};
const load = (file) => import(pathToFileURL(path.join(pkg, 'dist', file)).href);
const { SearchKnowledgeService } = await load('agent/infra/tools/implementations/search-knowledge-service.js');
const { FileSystemService } = await load('agent/infra/file-system/file-system-service.js');
const { QueryExecutor } = await load('server/infra/executor/query-executor.js');
const { FileKeyStorage } = await load('agent/infra/storage/file-key-storage.js');
const { RuntimeSignalStore } = await load('server/infra/context-tree/runtime-signal-store.js');

const limit = 10;
const quiet = { debug() {}, error() {}, info() {}, warn() {} };
const shown = (found, ...names) => found.map((one) => Object.fromEntries(names.map((name) => [name, one[name]])));
const agent = {
  createTaskSession: async () => 'session',
  deleteTaskSession: async () => {},
  executeOnSession: async () => 'answer',
  setSandboxVariableOnSession() {},
};

async function answers(root) {
  const read = (name) => JSON.parse(readFileSync(path.join(root, name), 'utf8'));
  const fileSystem = new FileSystemService({ allowedPaths: [root], workingDirectory: root });
  await fileSystem.initialize();
  const storage = new FileKeyStorage({ inMemory: true });
  await storage.initialize();
  const runtimeSignalStore = new RuntimeSignalStore(storage, quiet);
  for (const [note, signals] of Object.entries(read('signals.json'))) await runtimeSignalStore.set(note, signals);
  const searchService = new SearchKnowledgeService(fileSystem, {
    baseDirectory: root, cacheTtlMs: 1e12, runtimeSignalStore,
  });
  const cases = [];
  for (const { id, kind, query } of read('queries.json')) {
    const found = await searchService.search(query, { limit });
    searchService.pendingAccessHits.clear();
    const router = new QueryExecutor({ baseDirectory: root, enableCache: true, fileSystem, searchService });
    const first = await router.executeWithAgent(agent, { query, taskId: `${id}-1` });
    const again = await router.executeWithAgent(agent, { query: `  ${query.toUpperCase()} `, taskId: `${id}-2` });
    searchService.pendingAccessHits.clear();
    const results = shown(found.results, 'path', 'score', 'symbolKind', 'title');
    for (const one of results) {
      one.kind = one.symbolKind;
      delete one.symbolKind;
    }
    cases.push({
      id, kind, query,
      search: { message: found.message, results, totalFound: found.totalFound },
      query_run: {
        matched: shown(first.matchedDocs, 'path', 'score'), meta: first.searchMetadata ?? null, repeat_tier: again.tier,
        tier: first.tier,
      },
    });
  }
  return { cases, limit };
}

for (const project of projects) process.stdout.write(`${JSON.stringify(await answers(project))}\n`);
process.exit(0);
