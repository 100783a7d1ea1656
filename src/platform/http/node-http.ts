import { createRequire } from 'node:module'

// An `import` would read every export, and WebSocket's loads a whole HTTP client: 60 ms of each start.
const http: typeof import('node:http') = createRequire(import.meta.url)('node:http')

export const { createServer, STATUS_CODES } = http
