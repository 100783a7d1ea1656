/** Resources that a pdf may ask for: fonts, Asian character maps, image decoders. */
const assetNames =
  `apply.js chart.css company.css docs-search.mjs docs.css docs.js icon.svg inter.woff2 minisearch.mjs
  page.js passkey.js pdf.min.mjs pdf.worker.min.mjs pdfjs/:folder/:file posting-forms.js preview.mjs reader.js reference.js
  request-code.mjs style.css`.split(/\s+/)

/** If you add a public route, add it here, and say in the review why its callers need not identify themselves. */
export const publicRoutes = [
  'GET /',
  'GET /.well-known/oauth-authorization-server',
  // From the settings, for privacy notices.
  'GET /about/data',
  // What happens with reports of jobs.
  'GET /about/reports',
  // Signs in within the page, because the candidate comes from elsewhere.
  'GET /api/iam/oauth2/authorize',
  // Named by the hash of their content.
  ...assetNames.map(name => `GET /assets/:hash/${name}`),
  'GET /assets/docs-search.json',
  'GET /assets/logos/:hash',
  // A company's privacy notice, which candidates read before they apply.
  'GET /companies/:advertiserId/privacy/:version',
  'GET /confirm',
  'GET /confirm/again',
  // The base for writing a program.
  'GET /docs',
  ...'apply changelog collect errors follow limits polling progress reference reference/:operationId samples samples/:language sdk sdk/:file search share webhooks'
    .split(' ')
    .map(page => `GET /docs/${page}`),
  'GET /forgotten',
  // For a person who has just deleted the account, and so has none.
  'GET /goodbye',
  'GET /health/live',
  'GET /health/ready',
  // A person who has the link is the invited person.
  'GET /invitations',
  // Ads are public.
  'GET /jobs',
  'GET /jobs/:jobAdId',
  // Reporting a job needs no account.
  'GET /jobs/:jobAdId/report',
  'GET /openapi.json',
  // A person who has the link is the invited person.
  'GET /operator/join',
  'GET /problems/:code',
  'GET /reset',
  // For search engines.
  'GET /robots.txt',
  'GET /sign-in',
  'GET /sign-up',
  'GET /sitemap.xml',
  'GET /undo',
  // The link in an email says who and what, with an HMAC; mail programs send no cookie.
  'GET /unsubscribe/:token',
  'POST /api/iam/oauth2/authorize',
  // The client identifies itself, in the header or in the body: checked by the protocol, not by a hook before it.
  'POST /api/iam/oauth2/revoke',
  'POST /api/iam/oauth2/token',
  'POST /confirm',
  'POST /confirm/again',
  'POST /forgotten',
  'POST /invitations',
  'POST /jobs/:jobAdId/report',
  'POST /operator/join',
  'POST /reset',
  'POST /sign-in',
  'POST /sign-in/code',
  'POST /sign-out',
  'POST /sign-up',
  // Changes only the colours in the caller's browser.
  'POST /theme',
  'POST /undo',
  'POST /unsubscribe/:token',
  'POST /unsubscribe/:token/undo',
]
