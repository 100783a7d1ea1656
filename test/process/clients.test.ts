import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestDatabase } from '../harness/database.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { databaseFor, run, runHere } from './support.ts'

const callback = 'https://careers.example.com/callback'
const secretForm = /^dcs_[\w-]{43}\n$/

/** Runs a command that must succeed, and returns its output. */
async function dossier(database: TestDatabase, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, database.settings)
  assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  return stdout
}

/** Runs a command that must fail, and returns its error line. */
async function failure(database: TestDatabase, exitCode: number, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(args, database.settings)
  assert.deepEqual([code, stdout], [exitCode, ''], args.join(' '))
  assert.match(stderr, /^dossier: [^\n]+\n$/)
  return stderr
}

for (const engine of oneEngine) {
  describe(`agents and clients on the command line [${engine}]`, () => {
    test('the life of a client', async t => {
      const database = await databaseFor(t, engine, 'empty')
      assert.match(
        await dossier(database, 'client', 'list'),
        /^No clients yet\. Add one with: dossier client add/,
      )
      assert.deepEqual(JSON.parse(await dossier(database, 'client', 'list', '--json')), [])

      const add = ['client', 'add', 'careers', '--name', 'Careers & Co', '--redirect-uri', callback]
      // In a process of its own: a secret shown once must get through to the end of a pipe.
      const added = await run(add, database.settings)
      assert.deepEqual([added.code, added.stderr], [0, ''])
      assert.match(added.stdout, secretForm)
      assert.match(await failure(database, 1, ...add), /Client careers already exists/)

      const second = JSON.parse(
        await dossier(
          database,
          ...[
            'client',
            'add',
            '--require-pkce',
            '--redirect-uri',
            `${callback}/2`,
            '--redirect-uri',
            callback,
          ],
          ...['second', '--name', 'Second', '--json'],
        ),
      )
      assert.match(`${second.secret}\n`, secretForm)
      assert.deepEqual(
        { ...second, secret: '' },
        {
          id: 'second',
          secret: '',
          name: 'Second',
          agentId: null,
          scopes: ['r_profile_apply'],
          requirePkce: true,
          privacyUrl: null,
          redirectUris: [callback, `${callback}/2`],
          advertiserIds: [],
        },
      )

      assert.match(await dossier(database, 'client', 'rotate', 'careers'), secretForm)
      const rotated = JSON.parse(await dossier(database, 'client', 'rotate', 'second', '--only', '--json'))
      assert.equal(rotated.id, 'second')
      assert.notEqual(rotated.secret, second.secret)
      assert.equal(
        await dossier(database, 'client', 'disable', 'second'),
        'Second (second) is disabled; its codes and tokens have been revoked.\n',
      )
      assert.match(await failure(database, 1, 'client', 'rotate', 'second'), /is disabled/)

      const listed = JSON.parse(await dossier(database, 'client', 'list', '--json'))
      assert.deepEqual(
        listed.map(({ id, secrets, disabledAt }: Record<string, unknown>) => [
          id,
          secrets,
          disabledAt !== null,
        ]),
        [
          ['careers', 2, false],
          ['second', 1, true],
        ],
      )
      const table = await dossier(database, 'client', 'list')
      assert.match(
        table,
        /^id +name +agentId +scopes +requirePkce +privacyUrl +hasLogo +secrets +createdAt +disabledAt +redirectUris +advertisers\n/,
      )
      for (const secret of [added.stdout.trim(), second.secret, rotated.secret]) {
        assert.ok(!table.includes(secret.slice(4)))
      }
    })

    test('a client gets a logo and a privacy notice, and loses them', async t => {
      const database = await databaseFor(t, engine, 'empty')
      const privacy = 'https://careers.example.com/privacy'
      const add = ['client', 'add', 'c', '--name', 'Careers', '--redirect-uri', callback, '--privacy-url']
      assert.match(await failure(database, 1, ...add, 'javascript:alert(1)'), /such as https:/)
      assert.equal(JSON.parse(await dossier(database, ...add, privacy, '--json')).privacyUrl, privacy)
      const folder = await mkdtemp(join(tmpdir(), 'dossier-logo-'))
      t.after(() => rm(folder, { recursive: true }))
      const [good, hostile] = [join(folder, 'good.svg'), join(folder, 'hostile.svg')]
      await writeFile(good, '<svg xmlns="http://www.w3.org/2000/svg"/>')
      await writeFile(hostile, '<svg onload="alert(1)"/>')
      const first = async () => JSON.parse(await dossier(database, 'client', 'list', '--json'))[0]
      assert.equal(await dossier(database, 'client', 'logo', 'c', good), 'Careers has a new logo.\n')
      assert.match(
        await failure(database, 1, 'client', 'logo', 'c', hostile),
        /The logo must be an SVG without onload/,
      )
      assert.equal((await first()).hasLogo, true)
      assert.equal(await dossier(database, 'client', 'logo', 'c', '--remove'), 'Careers has no logo.\n')
      assert.equal(
        await dossier(database, 'client', 'privacy', 'c', '--remove'),
        'The privacy notice of Careers: none\n',
      )
      const { hasLogo, privacyUrl } = await first()
      assert.deepEqual([hasLogo, privacyUrl], [false, null])
      assert.match(await dossier(database, 'client', 'privacy', 'c', privacy), /: https:/)
      for (const wrong of [['c'], ['c', good, '--remove'], ['c', join(folder, 'none.svg')]]) {
        await failure(database, 2, 'client', 'logo', ...wrong)
      }
      await failure(database, 2, 'client', 'privacy', 'c')
      await failure(database, 3, 'client', 'logo', 'nobody', good)
      await failure(database, 3, 'client', 'privacy', 'nobody', '--remove')
    })

    test('the life of a job board', async t => {
      const database = await databaseFor(t, engine, 'empty')
      const [kiln, dock] = [
        (await dossier(database, 'advertiser', 'add', 'Kiln & Co')).trim(),
        (await dossier(database, 'advertiser', 'add', 'Dry Dock')).trim(),
      ]
      const add = ['client', 'add', 'board', '--name', 'Board', '--scope', 'w_applications']
      assert.match(await failure(database, 1, ...add), /Name each with --advertiser/)
      assert.match(await failure(database, 3, ...add, '--advertiser', '999'), /no advertiser 999/)
      const agent = (await dossier(database, 'agent', 'add', 'Agent')).trim()
      const plain = ['client', 'add', 'plain', '--name', 'Plain', '--redirect-uri', callback]
      const ofAgent = [...plain, '--agent', agent]
      assert.match(
        await failure(database, 1, ...ofAgent, '--advertiser', kiln),
        /only with the scope w_applications/,
      )

      const both = ['--advertiser', dock, '--advertiser', kiln, '--advertiser', kiln]
      const added = JSON.parse(await dossier(database, ...add, ...both, '--json'))
      assert.deepEqual(
        [added.scopes, added.redirectUris, added.advertiserIds],
        [['w_applications'], [], [Number(kiln), Number(dock)]],
      )
      const listed = async () =>
        JSON.parse(await dossier(database, 'client', 'list', '--json'))[0].advertisers
      assert.deepEqual(await listed(), [Number(kiln), Number(dock)])
      assert.equal(
        await dossier(database, 'client', 'forbid', 'board', dock),
        'Board may no longer act for Dry Dock.\n',
      )
      assert.deepEqual(await listed(), [Number(kiln)])
      assert.match(
        await failure(database, 3, 'client', 'forbid', 'board', dock),
        /does not act for advertiser/,
      )
      assert.equal(await dossier(database, 'client', 'allow', 'board', dock), 'Board may act for Dry Dock.\n')
      assert.match(await dossier(database, 'client', 'list'), new RegExp(`${kiln} ${dock}\\n$`))

      assert.match(await failure(database, 3, 'client', 'allow', 'nobody', dock), /no client nobody/)
      assert.match(await failure(database, 3, 'client', 'allow', 'board', '999'), /no advertiser 999/)
      await dossier(database, ...ofAgent)
      assert.match(await failure(database, 1, 'client', 'allow', 'plain', dock), /authorise themselves/)
    })

    test('the life of an agent', async t => {
      const database = await databaseFor(t, engine, 'empty')
      assert.match(
        await dossier(database, 'agent', 'list'),
        /^No agents yet\. Add one with: dossier agent add/,
      )
      const id = (await dossier(database, 'agent', 'add', ' Northwind ATS ')).trim()
      assert.equal(id, '20000001')
      assert.deepEqual(JSON.parse(await dossier(database, 'agent', 'add', ' Own ', '--id', '77', '--json')), {
        id: 77,
        name: 'Own',
      })
      assert.match(await failure(database, 1, 'agent', 'add', 'Own', '--id', '77'), /Agent 77 exists already/)
      const advertiser = (await dossier(database, 'advertiser', 'add', 'Kiln & Co')).trim()

      assert.match(await failure(database, 3, 'agent', 'authorise', id, '999'), /no advertiser 999/)
      const nothing = await failure(database, 3, 'agent', 'withdraw', id, advertiser)
      assert.match(nothing, /Kiln & Co has not authorised Northwind ATS/)
      for (const word of ['authorise', 'authorize']) {
        assert.equal(
          await dossier(database, 'agent', word, id, advertiser),
          'Northwind ATS may act for Kiln & Co.\n',
        )
      }
      const listed = JSON.parse(await dossier(database, 'agent', 'list', '--json'))
      assert.deepEqual(
        listed.map(({ id, actsFor }: Record<string, unknown>) => [id, actsFor]),
        [
          [77, []],
          [20000001, [Number(advertiser)]],
        ],
      )
      assert.match(await dossier(database, 'agent', 'list'), /Northwind ATS +\S+ +10000001\n/)
      assert.equal(
        await dossier(database, 'agent', 'withdraw', id, advertiser),
        'Northwind ATS no longer acts for Kiln & Co.\n',
      )

      const client = ['client', 'add', 'northwind', '--name', 'Northwind ATS', '--agent', id, '--json']
      assert.match(await failure(database, 1, ...client), /r_profile_apply needs a redirect URI/)
      const added = JSON.parse(await dossier(database, ...client, '--scope', 'r_applications'))
      assert.deepEqual([added.agentId, added.scopes], [20000001, ['r_applications']])
    })
  })
}

test('invalid options of a client are reported', async t => {
  const database = await databaseFor(t, 'sqlite', 'empty')
  const add = (id: string, ...options: string[]) =>
    failure(database, 1, 'client', 'add', id, '--name', 'Careers', ...options)
  assert.match(await add('a b'), /The ID must have 1 to 64 letters/)
  assert.match(await add('careers'), /needs a redirect URI/)
  assert.match(
    await add('careers', '--redirect-uri', 'http://careers.example.com/'),
    /http:\/\/careers\.example\.com\/ cannot be registered\. It must use https/,
  )
  assert.match(await add('careers', '--redirect-uri', `${callback}#top`), /fragment/)
  assert.match(
    await add('careers', '--scope', 'openid'),
    /Unknown scope openid\. The scopes are r_profile_apply, r_applications, w_progress, w_applications, m_webhooks\./,
  )
  assert.match(await add('careers', '--scope', 'r_profile_apply r_applications'), /--agent/)
  assert.deepEqual(JSON.parse(await dossier(database, 'client', 'list', '--json')), [])
})
