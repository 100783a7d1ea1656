// Follows the feed as FOLLOW says, prints a line of JSON for everything that happens, and kills itself when told to.

import { follow } from './follower.ts'
import type { Follow } from './following.ts'

const settings: Follow = JSON.parse(process.env['FOLLOW'] ?? '')
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())
let pointsLeft = settings.killAt ?? 0

await follow(settings, {
  signal: stop.signal,
  tell: told => void process.stdout.write(`${JSON.stringify(told)}\n`),
  point() {
    pointsLeft -= 1
    if (pointsLeft === 0) process.kill(process.pid, 'SIGKILL')
  },
})
