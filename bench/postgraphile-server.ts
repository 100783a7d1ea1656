// PostGraphile over the tables of the service, as its documentation shows it, without the parts that only people use.
// Arguments: the folder in which it is installed, and the URL of the database.
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , folder = '', connectionString = ''] = process.argv
const packages = createRequire(join(folder, 'package.json'))
/** It is installed on demand, so its types are not known here. */
const { postgraphile }: { postgraphile(preset: object): { createServ(serving: unknown): Serving } } =
  packages('postgraphile')
const { PostGraphileAmberPreset } = packages('postgraphile/presets/amber')
const { makePgService } = packages('postgraphile/adaptors/pg')
const { grafserv } = packages('postgraphile/grafserv/node')

interface Serving {
  addTo(server: Server): Promise<void>
}

const server = createServer()
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  // As many connections as the service has.
  pgServices: [makePgService({ connectionString, schemas: ['public'], poolConfig: { max: 10 } })],
  grafserv: { graphiql: false, watch: false },
  grafast: { explain: false },
})
await instance.createServ(grafserv).addTo(server)
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  console.log(JSON.stringify({ msg: 'listening', port }))
})
