import { openPatiently } from '../harness/database.ts'
import { draftOf } from '../harness/tenant.ts'

/**
 * A process that makes applications as fast as it can, in several loops at once, and prints each one after it
 * was acknowledged: `node writer.ts <loops> <advertiser>:<applications per loop> ...`
 */
const [loops, ...work] = process.argv.slice(2)
const services = await openPatiently(process.env)

async function write(loop: number, advertiserId: number, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const receipt = await services.submissions.add(advertiserId, draftOf(`${process.pid}-${loop}-${i}`))
    process.stdout.write(`${JSON.stringify({ advertiserId, ...receipt })}\n`)
  }
}

await Promise.all(
  Array.from({ length: Number(loops) }, (_, loop) =>
    Promise.all(
      work.map(item => {
        const [advertiserId, count] = item.split(':').map(Number)
        return write(loop, advertiserId as number, count as number)
      }),
    ),
  ),
)
await services.close()
