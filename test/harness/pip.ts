import { spawnSync } from 'node:child_process'

export const findsPip = () => spawnSync('python3', ['-m', 'pip', '--version']).status === 0
