import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Stores the address of a proxy missing from TRUSTED_PROXIES in DATA_DIR, for "dossier doctor". */
export function createProxyMark(dataDir: string) {
  const path = join(dataDir, 'untrusted-proxy')
  return {
    path,
    write(address: string): void {
      try {
        writeFileSync(path, `${address}\n`, { mode: 0o600 })
      } catch {
        // The log also contains it.
      }
    },
    read(): string | undefined {
      try {
        return readFileSync(path, 'utf8').trim()
      } catch {
        return undefined
      }
    },
  }
}
