import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startHere } from '../harness/command.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { some } from '../harness/effort.ts'
import { run, runHere } from './support.ts'

/** Words that the help of each command must have. */
const commands: Record<string, string[]> = {
  '': [
    'serve',
    'migrate',
    'doctor',
    'advertiser',
    'credential',
    'agent',
    'client',
    'import',
    'demo',
    'Exit codes: 0 done',
  ],
  serve: ['--demo'],
  migrate: ['newest schema'],
  doctor: ['--deep', '--json'],
  health: ['--live'],
  upgrade: ['--check', '--json'],
  advertiser: ['add', 'list', 'hold', 'activate', 'invite', 'people', 'remove-person'],
  'advertiser add': ['<name>', '--id', '--json'],
  'advertiser list': ['--json'],
  'advertiser hold': ['<id>'],
  'advertiser activate': ['<id>'],
  'advertiser invite': ['<id>', '<email>', '--role', '--mail', '--json'],
  'advertiser people': ['<id>', '--json'],
  'advertiser remove-person': ['<id>', '<email>', '--force'],
  credential: ['issue', 'list', 'revoke'],
  'credential issue': ['<advertiserId>', '--label', '--expires', '--json'],
  'credential list': ['<advertiserId>', '--json'],
  'credential revoke': ['<credentialId>'],
  agent: ['add', 'list', 'authorise', 'withdraw'],
  'agent add': ['<name>', '--id', '--json'],
  'agent list': ['--json'],
  'agent authorise': ['<agentId>', '<advertiserId>'],
  'agent withdraw': ['<agentId>', '<advertiserId>'],
  'agent allow-progress': ['<agentId>', '<advertiserId>'],
  'agent end-progress': ['<agentId>', '<advertiserId>'],
  client: ['add', 'list', 'rotate', 'disable'],
  'client add': ['<id>', '--name', '--redirect-uri', '--agent', '--require-pkce', '--scope', '--json'],
  'client list': ['--json'],
  'client rotate': ['<id>', '--only', '--json'],
  'client disable': ['<id>'],
  application: ['erase'],
  'application erase': ['<advertiserId>', '<applicationId>', '--json'],
  import: ['<file>', '--check', '--files', '--refused', '--json'],
  demo: ['reset', 'remove'],
  'demo reset': ['again'],
  'demo remove': ['Empty'],
  perform: ['authorization-code'],
  'perform authorization-code': ['--client-id', '--redirect-uri', '--no-pkce', 'DOSSIER_CLIENT_SECRET'],
}

const wrongUsage = [
  'nonsense',
  'serve --nonsense',
  'serve nonsense',
  'advertiser nonsense',
  'advertiser add',
  'advertiser add Name --id abc',
  'advertiser hold',
  'advertiser hold abc',
  'advertiser hold -1',
  'advertiser invite 10000001',
  'advertiser invite 10000001 a@example.com --role boss',
  'advertiser people abc',
  'advertiser remove-person 10000001',
  'credential issue 1.5',
  'credential issue 1 --expires tomorrow',
  'credential list 99999999999999999999',
  'agent add',
  'agent add Name --id 0',
  'agent authorise 20000001',
  'agent authorise nobody 10000001',
  'client add',
  'client add careers',
  'client add careers --name',
  'client add careers --name Careers --agent nobody',
  'client rotate',
  'perform nonsense',
  'perform authorization-code --redirect-uri https://careers.example.com/cb',
  'perform authorization-code --redirect-uri nonsense',
  'perform authorization-code --base-url nonsense',
  'perform authorization-code --timeout 0',
  'perform authorization-code --timeout 86401',
  'help nonsense',
  'backup --to=',
  'backup list --from=',
  'restore --from=',
]

const noSuchThing = [
  'advertiser hold 999',
  'advertiser activate 999',
  'credential issue 999',
  'credential list 999',
  'credential revoke nonsense',
  'agent authorise 999 10000001',
  'agent withdraw 999 10000001',
  'client add careers --name Careers --redirect-uri https://careers.example.com/cb --agent 999',
  'client rotate careers',
  'client rotate __proto__',
  'client disable careers',
  'webhook add https://ats.example.com/ --advertiser 999',
  'webhook add https://ats.example.com/ --agent 999',
]

describe('the command line', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase('sqlite')
  })
  after(() => database.remove())
  const dossier = (words: string) => runHere(words.split(' ').filter(Boolean), database.settings)

  for (const [command, words] of Object.entries(commands)) {
    test(`dossier ${command} --help`, async () => {
      const { code, stdout, stderr } = await dossier(`${command} --help`)
      assert.deepEqual([code, stderr], [0, ''])
      assert.ok(stdout.startsWith(`Usage: dossier ${command}`), stdout)
      for (const word of words) assert.ok(stdout.includes(word), `${word} in ${stdout}`)
      if (!command.includes(' ')) assert.equal((await dossier(`help ${command}`)).stdout, stdout)
    })
  }

  test('no line of any help is wider than 80 columns', async () => {
    const names = async (command: string): Promise<string[]> => {
      const { stdout } = await dossier(`${command} --help`)
      const wide = stdout.split('\n').filter(line => line.length > 80)
      assert.deepEqual(wide, [], command)
      const [, list = ''] = stdout.split('\nCommands:\n')
      const inner = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => `${command} ${name}`)
      const found = inner.filter(name => !name.endsWith(' help'))
      return [command, ...(await Promise.all(found.map(names))).flat()]
    }
    assert.ok((await names('')).length > 90)
  })

  for (const command of wrongUsage) {
    test(`dossier ${command}: wrong usage`, async () => {
      const { code, stdout, stderr } = await dossier(command)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /^error: .*|^Usage: |^dossier: The place must not be empty\.$/m)
    })
  }

  for (const command of ['', 'advertiser', 'credential', 'agent', 'client', 'demo', 'perform']) {
    test(`dossier ${command}: a command is missing, so they are shown`, async () => {
      const { code, stderr } = await dossier(command)
      assert.equal(code, 2)
      assert.equal(stderr, (await dossier(`${command} --help`)).stdout)
    })
  }

  for (const command of noSuchThing) {
    test(`dossier ${command}: not found`, async () => {
      const { code, stdout, stderr } = await dossier(command)
      assert.deepEqual([code, stdout], [3, ''])
      assert.match(stderr, /^dossier: There is no (advertiser|credential|agent|client) [^\n]+\n$/)
    })
  }

  test('a wrong setting ends every command', async () => {
    const settings = { ...database.settings, LOG_LEVEL: 'loud' }
    for (const command of ['migrate', 'doctor', 'advertiser list', 'credential list 1', 'demo reset']) {
      const { code, stderr } = await runHere(command.split(' '), settings)
      assert.equal(code, 4, command)
      assert.match(stderr, /^dossier: wrong setting LOG_LEVEL: [^\n]+\n$/)
    }
  })

  const ofTheProcess: [code: number, command: string][] = [
    [0, '--help'],
    [2, 'nonsense'],
    [1, 'advertiser add Name --id 1'],
    [3, 'advertiser hold 999'],
  ]
  for (const [code, command] of some(3, ofTheProcess)) {
    test(`the process ends with ${code} as well: dossier ${command}`, async () => {
      // For the one that is taken.
      await dossier('advertiser add Name --id 1')
      const finished = await run(command.split(' '), database.settings)
      assert.equal(finished.code, code)
      assert.equal(code === 0 ? finished.stderr : finished.stdout, '')
    })
  }
})

describe('before the database is opened', () => {
  const noDatabase = { DATABASE_URL: 'postgres://127.0.0.1:1/none' }

  test('values that contradict each other are wrong usage', async () => {
    for (const what of ['logo', 'privacy']) {
      const { code, stderr } = await runHere(['client', what, 'careers'], noDatabase)
      assert.deepEqual(
        [code, /^dossier: Give either the .* or --remove\.\n$/.test(stderr)],
        [2, true],
        stderr,
      )
    }
  })

  test('a command that follows can be stopped', async () => {
    const following = startHere(['events', 'follow', '10000001'], noDatabase)
    assert.deepEqual([(await following.finished).code, following.listensForStop()], [4, true])
  })
})

test('the life of an advertiser and its credentials on the command line', async t => {
  const database = await createTestDatabase('sqlite')
  t.after(() => database.remove())
  const dossier = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runHere(args, database.settings)
    assert.deepEqual([code, stderr], [0, ''], args.join(' '))
    return stdout
  }
  assert.equal(
    await dossier('advertiser', 'list'),
    'No advertisers yet. Add one with: dossier advertiser add <name>\n',
  )
  assert.deepEqual(JSON.parse(await dossier('advertiser', 'list', '--json')), [])

  const id = (await dossier('advertiser', 'add', 'Kiln & Co')).trim()
  assert.match(id, /^\d+$/)
  assert.deepEqual(JSON.parse(await dossier('advertiser', 'add', 'Second', '--id', '77', '--json')), {
    id: 77,
    name: 'Second',
  })
  const taken = await runHere(['advertiser', 'add', 'Third', '--id', '77'], database.settings)
  assert.deepEqual(
    [taken.code, taken.stdout, taken.stderr],
    [1, '', 'dossier: Advertiser 77 exists already.\n'],
  )

  assert.equal(await dossier('advertiser', 'hold', id), 'Kiln & Co is on hold.\n')
  const advertisers = JSON.parse(await dossier('advertiser', 'list', '--json'))
  assert.deepEqual(
    advertisers.map(({ id, name, status }: Record<string, unknown>) => ({ id, name, status })),
    [
      { id: 77, name: 'Second', status: 'active' },
      { id: Number(id), name: 'Kiln & Co', status: 'hold' },
    ],
  )
  assert.equal(await dossier('advertiser', 'activate', id), 'Kiln & Co is active.\n')

  assert.match(await dossier('credential', 'list', id), /^No credentials yet\. Issue one with: .* \d+\n$/)
  const value = (await dossier('credential', 'issue', id, '--label', 'ATS')).trim()
  assert.match(value, /^sws_\w{8}_[\w-]{43}$/)
  const expiring = JSON.parse(await dossier('credential', 'issue', id, '--expires', '2999-01-31', '--json'))
  const listed = JSON.parse(await dossier('credential', 'list', id, '--json'))
  assert.deepEqual(
    listed.map(({ hint, label, expiresAt }: Record<string, unknown>) => ({ hint, label, expiresAt })),
    [
      { hint: value.slice(0, 12), label: 'ATS', expiresAt: null },
      {
        hint: expiring.credential.slice(0, 12),
        label: 'command line',
        expiresAt: '2999-01-31T00:00:00.000Z',
      },
    ],
  )
  assert.match(await dossier('credential', 'revoke', expiring.id), /^Revoked sws_\w{8} \(command line\)\.\n$/)
  const table = await dossier('credential', 'list', id)
  assert.doesNotMatch(table, new RegExp(value))
  assert.match(table, /^id +hint +label +createdAt +expiresAt +revokedAt +lastUsedAt\n/)
  assert.equal(table.split('\n').length, 4)
})
