import { flushCompileCache } from 'node:module'
import { openServices } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { silentLog } from '../harness/database.ts'
import { retain } from './retaining.ts'

/** A process that does the work of retention and prints a line before each step: `node retention-worker.ts <time>`. */
const services = await openServices(readConfig(process.env), silentLog)
flushCompileCache()
await retain(services, Number(process.argv[2]), async () => process.stdout.write('.\n'))
await services.close()
