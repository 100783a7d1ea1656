// Saves a file with the TypeScript SDK, and hangs before the file gets its name. `files.py` does the same in Python.

import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

fs.rename = () => {
  process.stdout.write('writing\n')
  return new Promise(() => setInterval(() => {}, 60_000))
}
syncBuiltinESMExports()
const { saveFile } = await import('../../sdk/typescript/src/node.ts')
const [, path = ''] = JSON.parse(process.env['CALL'] ?? '')
await saveFile({ bytes: Buffer.from('resume') }, path)
