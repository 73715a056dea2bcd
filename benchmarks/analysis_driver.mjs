// Prints how the real engine splits texts: for each text, the scope, the text without stop words, the terms, and the terms
// that match no note. BRV_PKG names the package. Runs the engine's own search, and only observes its calls.
//
//   BRV_PKG=<node_modules/byterover-cli> node analysis_driver.mjs PROJECT TEXTS.json > rows.json
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [root, texts] = [path.resolve(process.argv[2]), JSON.parse(readFileSync(process.argv[3], 'utf8'))];
const load = (p) => import(pathToFileURL(path.join(process.env.BRV_PKG, 'dist', p)).href);
const now = Date.parse(readFileSync(path.join(root, 'now.txt'), 'utf8'));
Date.now = () => now;
const { SearchKnowledgeService } = await load('agent/infra/tools/implementations/search-knowledge-service.js');
const { FileSystemService } = await load('agent/infra/file-system/file-system-service.js');
const fs = new FileSystemService({ allowedPaths: [root], workingDirectory: root });
await fs.initialize();
const service = new SearchKnowledgeService(fs, { baseDirectory: root, cacheTtlMs: 1e12 });
await service.search('warm', { limit: 1 });
const { index } = service.state.cachedIndex;

let seen = null;
const runTextSearch = service.runTextSearch.bind(service);
service.runTextSearch = (query, documents, mini, limit, scope, ...rest) => {
  seen = { scope: scope ?? '', text: null, terms: [] };
  return runTextSearch(query, documents, mini, limit, scope, ...rest);
};
const search = index.search.bind(index);
const processTerm = index._options.processTerm;
index.search = (query, options) => {
  if (seen) { seen.text = query; seen.terms = []; }
  return search(query, options);
};
index._options.processTerm = (term, field) => {
  const processed = processTerm(term, field);
  if (seen && processed) seen.terms.push(processed);
  return processed;
};
const rows = [];
for (const text of texts) {
  seen = null;
  await service.search(text, { limit: 1 });
  const row = seen;
  seen = null;
  if (row) row.unmatched = [...new Set(row.terms)].filter((term) => search(term).length === 0);
  rows.push(row);
}
const { version } = JSON.parse(readFileSync(path.join(process.env.BRV_PKG, 'package.json')));
console.log(JSON.stringify({ system: 'byterover-cli', version, rows }));
