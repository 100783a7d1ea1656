import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'

/** Another process that holds SQLite's write lock until its standard input ends: `node lock-holder.ts <file>`. */
const database = new DatabaseSync(process.argv[2] as string)
database.exec('begin immediate')
process.stdout.write('locked\n')
process.stdin.resume()
await once(process.stdin, 'end')
database.exec('rollback')
database.close()
process.stdout.write('released\n')
