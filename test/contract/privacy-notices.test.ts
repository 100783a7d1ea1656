import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maryId } from '../../src/demo/world/world.ts'
import { type Form, wordsOf } from '../harness/html-form.ts'
import { Browser, localPath, mary } from '../harness/oauth.ts'
import type { Services } from '../harness/services.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { applyPath, fieldOf, harbourId, openForm, partsOf, roasterAd, sentId } from './apply-form.ts'

const settings = `/console/${harbourId}/privacy`

async function ownDataOf({ ownData }: Services, id: number) {
  for await (const { path, content } of await ownData.pack(maryId, 'Board')) {
    let text = ''
    for await (const part of content) text += part
    if (path === 'data.json')
      return JSON.parse(text).applications.find((each: { id: number }) => each.id === id)
  }
}

inDemoWorld(
  'the privacy notice of a company',
  { env: { BOARD_PRIVACY_URL: 'https://board.example/privacy' } },
  (world, { signedIn }) => {
    const rae = signedIn('rae@example.com')
    const candidate = signedIn(mary)
    const set = async (fields: { url?: string; content?: string }) =>
      rae.submit(await rae.form(settings), {
        fields: { url: '', content: '', ...fields },
      })
    const send = (form: Form) => candidate.upload(form.action, partsOf(form, { fields: { resume: 'none' } }))

    test('stands above the button, and an application keeps the version it was sent under', async () => {
      const without = await openForm(candidate, roasterAd)
      assert.doesNotMatch((await candidate.get(applyPath(roasterAd))).text, /Privacy notice of Harbour/)

      assert.equal(
        localPath(await set({ content: '## Your data\n\nWe <b>read</b> it.' })),
        `${settings}?done=saved`,
      )
      const late = await send(without)
      assert.equal(late.status, 422)
      assert.match(wordsOf(late.text), /The company has changed its privacy notice/)

      const form = await candidate.get(applyPath(roasterAd))
      assert.match(form.text, /href="\/companies\/10000001\/privacy\/1"[^>]*>Privacy notice of/)
      assert.match(
        form.text,
        /href="https:\/\/board\.example\/privacy"[^>]*>Privacy notice of this job board/,
      )
      const first = sentId(await send(await openForm(candidate, roasterAd)))

      await set({ url: 'https://harbour.example/Datenschutz?v=2' })
      const opened = await openForm(candidate, roasterAd)
      assert.equal(fieldOf(opened, 'privacy_notice'), '2')
      const second = sentId(await send(await openForm(candidate, roasterAd)))

      const receipts = await Promise.all(
        [first, second].map(id => candidate.get(`/account/applications/${id}`)),
      )
      assert.match(receipts[0]?.text ?? '', /href="\/companies\/10000001\/privacy\/1"/)
      assert.match(receipts[1]?.text ?? '', /href="https:\/\/harbour\.example\/Datenschutz\?v=2"/)
      const pages = await Promise.all(
        [first, second].map(id => rae.words(`/console/${harbourId}/applications/${id}`)),
      )
      assert.match(pages[0] ?? '', /Privacy notice Version 1 /)
      assert.match(pages[1] ?? '', /Privacy notice Version 2 /)

      const stranger = new Browser(world().door)
      const { text } = await stranger.get(`/companies/${harbourId}/privacy/1`)
      assert.match(text, /<h2>Your data<\/h2><p>We &lt;b&gt;read/)
      assert.equal((await stranger.get(`/companies/${harbourId}/privacy/9`)).status, 404)

      await set({})
      const { services } = world()
      assert.equal((await services.privacyNotices.of(harbourId)).current, undefined)
      await set({})
      assert.equal((await services.privacyNotices.of(harbourId)).versions.length, 3, 'nothing has changed')
      assert.equal(fieldOf(await openForm(candidate, roasterAd), 'privacy_notice'), '')
      const archive = await ownDataOf(services, first)
      assert.equal(archive.privacyNotice, `/companies/${harbourId}/privacy/1`)
    })

    test('is an http address or a text, and bad ones change nothing', async () => {
      const { versions } = await world().services.privacyNotices.of(harbourId)
      for (const fields of [
        { url: 'javascript:alert(1)' },
        { url: 'https://me@harbour.example/' },
        { url: 'https://:harbour.example@evil.example/' },
        { url: 'https://harbour.example/', content: 'Both' },
        { content: 'x'.repeat(20_001) },
        { content: 'a\u0007b' },
      ])
        assert.equal((await set(fields)).status, 422, JSON.stringify(fields))
      assert.deepEqual((await world().services.privacyNotices.of(harbourId)).versions, versions)
    })
  },
)
