import { flushCompileCache } from 'node:module'
import { openPatiently } from '../harness/database.ts'
import { retain } from './retaining.ts'

/** A process that does the work of retention and prints a line before each step: `node retention-worker.ts <time>`. */
const services = await openPatiently(process.env)
flushCompileCache()
await retain(services, Number(process.argv[2]), async () => process.stdout.write('.\n'))
await services.close()
