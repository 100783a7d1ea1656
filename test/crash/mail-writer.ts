import { flushCompileCache } from 'node:module'
import { openPatiently } from '../harness/database.ts'

/**
 * A process that asks for emails until it is killed, in several loops at once, and prints each address after the request
 * was acknowledged: `node mail-writer.ts <prefix> <loops>`.
 */
const [prefix = '', loops = '1'] = process.argv.slice(2)
const services = await openPatiently(process.env)
flushCompileCache()
const links = services.accountLinks(services.mailer())

async function askOnAndOn(loop: number): Promise<void> {
  for (let i = 0; ; i++) {
    const email = `${prefix}-${loop}-${i}@mail.example`
    const person = { email, email_confirmed_at: 0, password_hash: '', first_name: '', last_name: '' }
    await services.database.writer
      .insertInto('candidates')
      .values({ ...person, id: email, profile: '{}', created_at: 0 })
      .execute()
    const { outcome } = await links.askToReset(email, { continueTo: '/account' })
    if (outcome === 'sent') process.stdout.write(`${email}\n`)
  }
}

await Promise.all(Array.from({ length: Number(loops) }, (_, loop) => askOnAndOn(loop)))
