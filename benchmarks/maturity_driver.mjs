// Drives the real engine's own functions for signals: BRV_PKG=<byterover-cli> node maturity_driver.mjs CASES.json
// CASES.json is written by benchmarks/record_maturity.py. Prints the answers as JSON.
import { mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const load = (p) => import(pathToFileURL(path.join(process.env.BRV_PKG, 'dist', p)).href);
const { SearchKnowledgeService } = await load('agent/infra/tools/implementations/search-knowledge-service.js');
const { FileSystemService } = await load('agent/infra/file-system/file-system-service.js');
const { FileKeyStorage } = await load('agent/infra/storage/file-key-storage.js');
const { RuntimeSignalStore } = await load('server/infra/context-tree/runtime-signal-store.js');
const { FileContextTreeArchiveService } = await load('server/infra/context-tree/file-context-tree-archive-service.js');
const { determineTier, recordCurateUpdate } = await load('server/core/domain/knowledge/memory-scoring.js');
const { prune } = await load('server/infra/dream/operations/prune.js');

const cases = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const quiet = { debug() {}, error() {}, info() {}, warn() {} };
Date.now = () => cases.now_ms;

async function emptyStore() {
  const storage = new FileKeyStorage({ inMemory: true });
  await storage.initialize();
  return new RuntimeSignalStore(storage, quiet);
}

const store = await emptyStore();
const files = new FileSystemService({ allowedPaths: [tmpdir()], workingDirectory: tmpdir() });
await files.initialize();
const search = new SearchKnowledgeService(files, { baseDirectory: tmpdir(), runtimeSignalStore: store });

const hits = [];
for (const one of cases.hits) {
  await store.set('a/n.md', one.before);
  for (let n = 0; n < one.times; n += 1) await search.mirrorHitsToSignalStore(new Map([['a/n.md', 1]]));
  hits.push({ ...one, after: await store.get('a/n.md') });
}

const updates = [];
for (const one of cases.updates) {
  let signals = one.before;
  for (let n = 0; n < one.times; n += 1) {
    const raised = recordCurateUpdate(signals);
    signals = { ...raised, maturity: determineTier(raised.importance, signals.maturity) };
  }
  updates.push({ ...one, after: signals });
}

async function offered(notes) {
  const root = mkdtempSync(path.join(tmpdir(), 'brv-maturity-'));
  const tree = path.join(root, '.brv', 'context-tree');
  const signals = await emptyStore();
  for (const note of notes) {
    const file = path.join(tree, note.path);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, note.text);
    utimesSync(file, note.mtime_ms / 1000, note.mtime_ms / 1000);
    if (note.signals) await signals.set(note.path, note.signals);
  }
  const archive = new FileContextTreeArchiveService(signals, quiet);
  let prompt = '';
  const agent = {
    async createTaskSession() { return 's'; },
    async deleteTaskSession() {},
    async executeOnSession(_session, text) { prompt = text; return '{"decisions": []}'; },
  };
  const deps = { agent, archiveService: archive, contextTreeDir: tree, logger: quiet, projectRoot: root, runtimeSignalStore: signals, taskId: 't' };
  await prune(deps);
  const reviewed = [...prompt.matchAll(/^PATH: (.*)\n.*signal: (\w+)$/gm)];
  return { archive: (await archive.findArchiveCandidates(root)).sort(), pruning: reviewed.filter((m) => m[2] !== 'importance').map((m) => m[1]).sort() };
}

const trees = [];
for (const notes of cases.trees) trees.push({ notes, ...(await offered(notes)) });
const version = JSON.parse(readFileSync(path.join(process.env.BRV_PKG, 'package.json'), 'utf8')).version;
console.log(JSON.stringify({ system: 'byterover-cli', version, now_ms: cases.now_ms, hits, updates, trees }));
