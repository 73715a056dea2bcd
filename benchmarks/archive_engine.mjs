// Runs ByteRover's own archive service on small trees, one for each case, with a frozen clock and without a model.
//
//   BRV_PKG=<node_modules/byterover-cli> node archive_engine.mjs CASES.json FOLDER > answers.json
//
// CASES.json: [{id, path, now, signals?, files, rewritten?}]. Each case's project is in FOLDER/<id>, with `files` already
// written. Archives `path`, then restores the stub, and prints every file after each of these steps, in base64.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [casesFile, folder] = process.argv.slice(2);
const engine = (file) => import(pathToFileURL(path.join(process.env.BRV_PKG, 'dist', file)).href);
const { FileContextTreeArchiveService } = await engine('server/infra/context-tree/file-context-tree-archive-service.js');
const { RuntimeSignalStore } = await engine('server/infra/context-tree/runtime-signal-store.js');
const { FileKeyStorage } = await engine('agent/infra/storage/file-key-storage.js');

const SystemDate = Date;
let frozen = 0;
globalThis.Date = class extends SystemDate {
  constructor(...given) { if (given.length > 0) super(...given); else super(frozen); }
  static now() { return frozen; }
};

const quiet = { debug() {}, error() {}, info() {}, warn() {} };
const noModel = { async createTaskSession() { throw new Error('there is no model'); } };

function held(tree) {
  const found = {};
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    found[path.relative(tree, file)] = readFileSync(file).toString('base64');
  }
  return found;
}

async function attempt(action) {
  try { return { value: await action() }; } catch (error) { return { error: error.code ?? 'failed' }; }
}

const answers = [];
for (const given of JSON.parse(readFileSync(casesFile, 'utf8'))) {
  frozen = SystemDate.parse(given.now);
  const project = path.join(folder, String(given.id));
  const tree = path.join(project, '.brv/context-tree');
  const storage = new FileKeyStorage({ inMemory: true });
  await storage.initialize();
  const signals = new RuntimeSignalStore(storage, quiet);
  for (const [note, stored] of Object.entries(given.signals ?? {})) await signals.set(note, stored);
  const service = new FileContextTreeArchiveService(signals, quiet);
  const archived = await attempt(() => service.archiveEntry(given.path, noModel, project));
  const afterArchive = held(tree);
  const signalsAfterArchive = Object.fromEntries(await signals.list());
  for (const [file, text] of Object.entries(given.rewritten ?? {})) {
    mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    writeFileSync(path.join(tree, file), text);
  }
  const stub = archived.value?.stubPath ?? '';
  const restored = await attempt(() => service.restoreEntry(stub, project));
  answers.push({
    id: given.id, archived, files_after_archive: afterArchive, signals_after_archive: signalsAfterArchive,
    restored, files_after_restore: held(tree), signals_after_restore: Object.fromEntries(await signals.list()),
  });
}
console.log(JSON.stringify(answers));
