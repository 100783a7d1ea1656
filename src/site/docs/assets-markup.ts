import { assetsIn } from '../../platform/web/assets.ts'

export const docsAssets = assetsIn(new URL('assets/', import.meta.url), {
  'docs.css': {},
  'docs.js': {},
  'reference.js': {},
  'docs-search.mjs': {},
  'request-code.mjs': {},
  'minisearch.mjs': { path: new URL(import.meta.resolve('minisearch')) },
})
