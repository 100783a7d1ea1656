import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf } from '../harness/html-form.ts'
import { localPath } from '../harness/oauth.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'

const page = '/agent/20000001/clients/demo-ats'

for (const isSelfService of [false, true])
  inDemoWorldInTurn(
    `the page of an agent’s client, ${isSelfService ? 'which it changes itself' : 'whose changes the operator confirms'}`,
    { env: { AGENT_SELF_SERVICE: String(isSelfService) } },
    (world, { signedIn }) => {
      const nora = signedIn('nora@example.com')
      const client = async () => (await world().services.clients.find('demo-ats')) ?? assert.fail()

      const formOf = async (act: string) =>
        formsOf((await nora.get(page)).text).find(({ fields }) =>
          fields.some(([name, value]) => name === 'action' && value === act),
        ) ?? assert.fail(act)

      test('a question is asked before all other secrets are revoked', async () => {
        const { secretHashes } = await client()
        assert.match((await nora.submit(await formOf('rotate'))).text, /id="secret"/)
        assert.equal((await client()).secretHashes.length, secretHashes.length + 1)
        const asked = await nora.submit(await formOf('rotate'), { button: ['only', 'yes'] })
        assert.match(asked.text, /Revoke the secrets of/)
        assert.equal((await client()).secretHashes.length, secretHashes.length + 1)
        const question = formsOf(asked.text).find(({ fields }) =>
          fields.some(([name]) => name === 'confirmed'),
        )
        assert.match((await nora.submit(question ?? assert.fail())).text, /id="secret"/)
        assert.equal((await client()).secretHashes.length, 1)
        assert.equal(localPath(await nora.submit(question ?? assert.fail())), `${page}?done=shown-once`)
        assert.equal((await client()).secretHashes.length, 1)
      })

      test('a change takes effect, or waits for the operator', async () => {
        const before = (await client()).privacyUrl
        const privacyUrl = 'https://northwind.example/privacy'
        const saved = await nora.submit(await formOf('privacy'), { fields: { privacyUrl } })
        assert.equal(localPath(saved), `${page}?done=${isSelfService ? 'privacy' : 'waiting'}`)
        assert.equal((await client()).privacyUrl, isSelfService ? privacyUrl : before)
        const { text } = await nora.get(localPath(saved))
        assert.match(text, isSelfService ? /The privacy notice was saved/ : /Waiting for the operator/)
      })

      test('a rejected form says why, and leaves the others as they were', async () => {
        const { fields } = await formOf('privacy')
        const redirectUri = 'ftp://north.example'
        const { status, text } = await nora.submit(await formOf('redirect-uris'), { fields: { redirectUri } })
        assert.equal(status, 422)
        assert.match(text, /The redirect URI ftp:\/\/north\.example cannot be registered/)
        const typedIn = (name: string) =>
          formsOf(text)
            .flatMap(form => form.fields)
            .find(([each]) => each === name)?.[1]
        assert.equal(typedIn('redirectUri'), redirectUri)
        assert.equal(typedIn('privacyUrl'), fields.find(([name]) => name === 'privacyUrl')?.[1])
      })

      test('commas separate redirect URIs only at their end', async () => {
        const redirectUri = 'https://north.example/a,\nhttps://north.example/b?x=1,2, https://north.example/c'
        const sent = await nora.submit(await formOf('redirect-uris'), { fields: { redirectUri } })
        assert.equal(sent.status, 303, sent.text)
        const wanted = ['https://north.example/a', 'https://north.example/b?x=1,2', 'https://north.example/c']
        if (isSelfService) assert.deepEqual((await client()).redirectUris, wanted)
        else for (const uri of wanted) assert.ok((await nora.get(page)).text.includes(`>${uri}<`), uri)
      })

      test('no address makes the page say what an operator did', async () => {
        assert.doesNotMatch((await nora.get(`${page}?done=disabled`)).text, /is disabled/)
      })

      test('the acts of operators are not the agent’s', async () => {
        const form = await formOf('privacy')
        for (const action of ['disable', 'allow', 'forbid']) {
          const fields = { action, confirmed: 'yes', advertiser: '10000002' }
          assert.equal((await nora.submit(form, { fields })).status, 403, action)
          assert.equal((await nora.post(`${page}/${action}`, form.fields)).status, 404, action)
        }
        assert.equal((await client()).disabledAt, null)
      })
    },
  )
