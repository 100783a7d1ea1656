import { existsSync, renameSync, rmSync } from 'node:fs'
import type { PutKeys, SetKeys } from '../../platform/backup/ports.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { writeKeyFile } from './key-file-adapter.ts'
import type { MachineKey, MachineKeys } from './machine-keys-adapter.ts'

const textOf = (keys: ReturnType<MachineKey['find']>) => keys?.map(key => key.toString('base64')).join(',')

/** The keys that this machine has, for a backup. */
export function keysForSet({ webhook, secrets }: MachineKeys): SetKeys {
  const found = [webhook, secrets].map(key => [key.setting, textOf(key.find())])
  return Object.fromEntries(found.filter(([, text]) => text !== undefined))
}

/** Writes a set's keys to their files, unless the machine has the keys; a file with another key is kept. */
export function putKeys(keys: SetKeys, { webhook, secrets }: MachineKeys, now: EpochMs): PutKeys {
  const put = [webhook, secrets].flatMap(key => {
    const { setting, path, isFile } = key
    const text = keys[setting]
    if (text === undefined || hasKey(key, text)) return []
    const former = `${path}.before-restore-${new Date(now).toISOString().replaceAll(':', '-')}`
    const isKept = existsSync(path)
    if (isKept) renameSync(path, former)
    writeKeyFile(path, text)
    const undo = () => (isKept ? renameSync(former, path) : rmSync(path))
    const advice = isFile
      ? `Restored ${path}.`
      : `Restored ${path}: set ${setting}_FILE to it before the first start.`
    return [{ advice, undo }]
  })
  return {
    advice: put.map(({ advice }) => advice),
    undo() {
      for (const each of put) each.undo()
    },
  }
}

function hasKey(key: MachineKey, text: string): boolean {
  try {
    return textOf(key.find()) === text
  } catch {
    // The file has no key.
    return false
  }
}
