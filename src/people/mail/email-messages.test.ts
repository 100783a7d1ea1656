import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { everyEmailMessage, hostileName } from '../../../test/harness/email-messages.ts'
import { accentsOf } from '../../platform/core/brand/colour.ts'
import { renderEmailMessage } from './email-message-markup.ts'

const plain = { name: 'Quay <b>Jobs</b>', contactUrl: undefined, colours: undefined }
const tags = (markup: string) => [...markup.matchAll(/<\/?([a-z][a-z0-9]*)/g)].map(([, tag = '']) => tag)

describe('emails', () => {
  for (const [kind, message] of Object.entries(everyEmailMessage('Quay <b>Jobs</b>', 'Baker'))) {
    test(`${kind} names the board and no other, in both forms`, () => {
      const { subject, text, html } = renderEmailMessage(message, plain)
      assert.ok(kind.includes('-') || text.includes('Quay <b>Jobs</b>'), text)
      assert.ok(html.includes('Quay &lt;b&gt;Jobs&lt;/b&gt;'), html)
      assert.doesNotMatch(`${subject} ${text} ${html}`, /Dossier|Questions\?|undefined|null/)
    })

    test(`${kind} has the same words in both forms, and loads nothing`, () => {
      const { subject, text, html } = renderEmailMessage(message, plain)
      const unescaped = html
        .replaceAll(/<\/?bdi>/g, '')
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll('&#39;', "'")
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&')
        .replaceAll(/[\s:]+/g, ' ')
      for (const line of [subject, ...text.split('\n')]) {
        const isUrl = /^https?:/.test(line)
        const words = line.replaceAll(/[\s:]+/g, ' ').trim()
        assert.ok(isUrl ? html.includes(`href="${line}"`) : unescaped.includes(words), line)
      }
      const known = 'html head meta title style body table tr td th h1 p a bdi'.split(' ')
      assert.deepEqual(
        tags(html).filter(tag => !known.includes(tag)),
        [],
      )
      assert.doesNotMatch(html, /<img|<script|<link|url\(|@import|\bsrc=/)
      assert.match(html, /<html lang="en-AU">/)
      assert.match(html, /<meta name="color-scheme" content="light dark">/)
    })

    test(`${kind} ends with the contact, if the operator has named one`, () => {
      const contact = (contactUrl: string) =>
        renderEmailMessage(message, { ...plain, name: 'Quay Jobs', contactUrl })
      const { text, html } = contact('mailto:help@quay.example')
      assert.match(text, /\n\nQuestions\? Contact Quay Jobs: help@quay\.example\n$/)
      assert.match(html, /href="mailto:help@quay\.example"/)
      assert.match(contact('https://quay.example/help').text, /Jobs: https:\/\/quay\.example\/help\n$/)
    })
  }

  for (const [kind, message] of Object.entries(everyEmailMessage('Quay', hostileName))) {
    test(`${kind} is safe with hostile names`, () => {
      const safe = renderEmailMessage(everyEmailMessage('Quay', 'Baker')[kind] ?? message, plain)
      const { subject, text, html } = renderEmailMessage(message, plain)
      assert.deepEqual(tags(html), tags(safe.html))
      assert.doesNotMatch(html, /<script|onerror=[^&]*>|<img/)
      // On one line, without controls that reorder the text or begin another header.
      assert.doesNotMatch(subject, /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u)
      assert.doesNotMatch(text, /[\u202A-\u202E\u2066-\u2069\r]/)
      assert.ok(subject.length < 250, subject)
      assert.equal(text.split('\n').length, safe.text.split('\n').length)
    })
  }

  test('the colour of the board is the colour of its emails', () => {
    const message = everyEmailMessage('Quay', 'Baker')['reset'] ?? assert.fail()
    const colours = accentsOf('#7a1f5c')
    const { html } = renderEmailMessage(message, { ...plain, colours })
    assert.ok(html.includes('#7a1f5c') && html.includes(colours.dark.accent))
    assert.ok(!renderEmailMessage(message, plain).html.includes('#7a1f5c'))
  })

  test('a notification says why it was sent, with a link to change that', () => {
    const message = everyEmailMessage('Quay', 'Baker')['new-applications'] ?? assert.fail()
    const reason = {
      text: 'You work there.',
      label: 'Change emails',
      url: 'https://quay.example/stop?a=1&b=2',
    }
    const { text, html } = renderEmailMessage(message, plain, reason)
    assert.match(text, /\n\nYou work there\. Change emails:\nhttps:\/\/quay\.example\/stop\?a=1&b=2\n$/)
    assert.match(html, /You work there\. <a [^>]*href="https:\/\/quay\.example\/stop\?a=1&amp;b=2"/)
  })
})
