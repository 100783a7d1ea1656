import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The address of a proxy that TRUSTED_PROXIES lacks, left in DATA_DIR by the service for "dossier doctor". */
export function createProxyMark(dataDir: string) {
  const path = join(dataDir, 'untrusted-proxy')
  return {
    path,
    write(address: string): void {
      try {
        writeFileSync(path, `${address}\n`, { mode: 0o600 })
      } catch {
        // The log has it as well.
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
