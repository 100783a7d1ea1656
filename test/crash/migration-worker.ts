import { flushCompileCache } from 'node:module'
import { readConfig } from '../../src/settings.ts'
import { silentLog } from '../harness/database.ts'
import { openServices } from '../harness/services.ts'
import { nextRelease } from './migrating.ts'

/** A process that migrates to the next release and prints a line before each step. */
const services = await openServices(readConfig(process.env), silentLog)
flushCompileCache()
await nextRelease(services, async () => void process.stdout.write('.\n')).migrate()
await services.close()
