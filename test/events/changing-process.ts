import { openPatiently } from '../harness/database.ts'
import { change } from './changes.ts'

/** Writers in a process of their own: `node changing-process.ts <JSON>`. Prints what was acknowledged. */
const { followed, writers, rounds } = JSON.parse(process.argv[2] ?? '')
const services = await openPatiently(process.env)
const acknowledged = await Promise.all(
  writers.map((writer: number) => change(followed, writer, rounds, () => services)),
)
await services.close()
process.stdout.write(`${JSON.stringify(acknowledged.flat())}\n`)
