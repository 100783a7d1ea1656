import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { withServices } from '../../test/harness/database.ts'
import { logoUrl } from '../platform/core/brand/logo.ts'

const svg = (colour: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="${colour}" d="M0 0h8v8z"/></svg>`,
  )

withServices('logos', services => {
  const logos = () => services().logos
  let [harbour, southern] = [0, 0]
  before(async () => {
    harbour = (await services().advertisers.add('Harbour')).id
    southern = (await services().advertisers.add('Southern')).id
    const redirectUris = ['https://ats.example/back']
    await services().clients.add({ id: 'ats', name: 'ATS', redirectUris, agentId: null, requirePkce: true })
  })
  const job = { location: 'Perth', description: 'x', reference: null, screenId: null, closingDate: null }
  const hashOf = async (advertiserId: number) => {
    const { id } = await services().jobs.add(advertiserId, { ...job, title: 'Cook' })
    return (await services().jobBoard.find(id))?.logoHash ?? null
  }
  const missing = { code: 'not-found' }

  test('are found by their hash while they are in use', async () => {
    assert.equal(await hashOf(harbour), null)
    await logos().setOfAdvertiser(harbour, svg('red'))
    const first = (await hashOf(harbour)) ?? ''
    assert.match(first, /^[0-9a-f]{32}$/)
    assert.equal(logoUrl(first), `/assets/logos/${first}`)
    assert.deepEqual({ ...(await logos().find(first)) }, { type: 'image/svg+xml', bytes: svg('red') })

    // The same image, of another advertiser and of a client.
    await logos().setOfAdvertiser(southern, svg('red'))
    await services().clients.setLogo('ats', svg('red'))
    await logos().setOfAdvertiser(harbour, svg('blue'))
    assert.notEqual(await hashOf(harbour), first)
    await logos().setOfAdvertiser(southern, undefined)
    assert.equal(await hashOf(southern), null)
    assert.ok(await logos().find(first))
    assert.equal((await services().clients.setLogo('ats', undefined)).logoHash, null)
    await assert.rejects(logos().find(first), missing)
  })

  test('replaced many times at once leave one logo, referenced by its owner', async () => {
    const colours = ['#111111', '#222222', '#333333', '#444444', '#555555', '#666666']
    await Promise.all(colours.map(colour => logos().setOfAdvertiser(southern, svg(colour))))
    const rows = await services()
      .database.reader.selectFrom('advertiser_logos')
      .select('hash')
      .where('advertiser_id', '=', southern)
      .execute()
    assert.deepEqual(
      rows.map(({ hash }) => hash),
      [await hashOf(southern)],
    )
  })

  test('are deleted with their owner', async () => {
    const { writer } = services().database
    await writer.insertInto('oauth_clients').values({ id: 'brief', name: 'Brief', created_at: 1 }).execute()
    const { logoHash } = await services().clients.setLogo('brief', svg('green'))
    await writer.deleteFrom('oauth_clients').where('id', '=', 'brief').execute()
    await assert.rejects(logos().find(logoHash ?? ''), missing)
  })

  test('are refused with the reason, and the former one stays', async () => {
    const former = await hashOf(harbour)
    const hostile = [
      Buffer.from('<svg><script>alert(1)</script></svg>'),
      Buffer.alloc(70_000),
      Buffer.from('GIF89a'),
    ]
    for (const bytes of hostile) {
      await assert.rejects(logos().setOfAdvertiser(harbour, bytes), { code: 'invalid-fields' })
      await assert.rejects(services().clients.setLogo('ats', bytes), { code: 'invalid-fields' })
    }
    assert.equal(await hashOf(harbour), former)
    for (const hash of ['', 'x', '0'.repeat(32), '../x', 'F'.repeat(32), 'a\0']) {
      await assert.rejects(logos().find(hash), missing)
    }
    await assert.rejects(logos().setOfAdvertiser(99, svg('red')), missing)
    for (const id of ['nobody', 'a\0'])
      await assert.rejects(services().clients.setLogo(id, svg('red')), missing)
  })

  test("a client's privacy notice is an http address", async () => {
    const { clients } = services()
    const { privacyUrl } = await clients.setPrivacyUrl('ats', 'HTTPS://ats.example/privacy')
    assert.equal(privacyUrl, 'https://ats.example/privacy')
    for (const url of [
      'javascript:alert(1)',
      'ats.example',
      '',
      'https://ats.example@evil.example/',
      'https://:ats.example@evil.example/',
      `https://a/${'x'.repeat(3000)}`,
    ]) {
      await assert.rejects(clients.setPrivacyUrl('ats', url), { code: 'invalid-fields' }, url)
    }
    assert.equal((await clients.find('ats'))?.privacyUrl, privacyUrl)
    assert.equal((await clients.setPrivacyUrl('ats', undefined)).privacyUrl, null)
    await assert.rejects(clients.setPrivacyUrl('nobody', undefined), missing)
  })
})
