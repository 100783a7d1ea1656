import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseFor, runHere } from './support.ts'

test('an operator is invited, listed and withdrawn by commands; a look-up needs a reason', async t => {
  const { settings } = await databaseFor(t, 'sqlite', 'empty')
  const env = { ...settings, AUTH_URL: 'https://auth.example' }
  const run = (...args: string[]) => runHere(args, env)
  const empty = await run('operator', 'list')
  assert.match(empty.stdout, /No operators yet\. Invite one with: dossier operator invite <email>/)
  const invited = await run('operator', 'invite', 'olga@example.net')
  assert.match(invited.stdout, /^https:\/\/auth\.example\/operator\/join#dli_[\w-]{43}\n$/)
  assert.match((await run('doctor')).stdout, /operators +1 is invited, and none has opened the link yet/)
  const viewer = JSON.parse((await run('operator', 'invite', 'vic@example.net', '--viewer', '--json')).stdout)
  assert.equal(viewer.role, 'viewer')
  assert.equal((await run('operator', 'invite', 'not an address')).code, 2)
  const list = JSON.parse((await run('operator', 'list', '--json')).stdout)
  assert.deepEqual(
    list.map(({ email, role }: { email: string; role: string }) => [email, role]),
    [
      ['olga@example.net', 'operator'],
      ['vic@example.net', 'viewer'],
    ],
  )
  assert.match((await run('operator', 'remove', 'olga@example.net')).stdout, /^Withdrew the invitation/)
  assert.equal((await run('operator', 'remove', 'olga@example.net')).code, 3)
  assert.equal((await run('operator', 'reset-factor', 'olga@example.net')).code, 3)
  assert.equal((await run('person', 'find', 'zoe@example.net')).code, 2)
  const found = await run('person', 'find', 'zoe@example.net', '--reason', 'request 7')
  assert.deepEqual(JSON.parse(found.stdout), { applications: [], reports: 0 })
})
