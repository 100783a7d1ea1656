import { spawnSync } from 'node:child_process'

/** Whether PHP is installed, with the extension that its samples use. */
export const findsPhp = () => spawnSync('php', ['-r', 'exit(extension_loaded("curl") ? 0 : 1);']).status === 0

export const hasPhp = findsPhp()
