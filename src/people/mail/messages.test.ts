import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Message, mailOf } from './messages.ts'

const to = 'ana@example.net'
const link = { to, url: 'https://jobs.example/confirm#dli_x', minutes: 30 }

/** Every kind of message must be here. */
const messages: { [Kind in Message['kind']]: Extract<Message, { kind: Kind }> } = {
  confirmation: { kind: 'confirmation', ...link },
  'already-registered': { kind: 'already-registered', ...link },
  reset: { kind: 'reset', ...link },
  'change-email': { kind: 'change-email', ...link },
  'password-changed': { kind: 'password-changed', to, forgottenUrl: 'https://jobs.example/forgotten' },
  'account-removed': { kind: 'account-removed', to },
  'email-changing': { kind: 'email-changing', to, securityUrl: 'https://jobs.example/account/security' },
  invitation: {
    ...{ kind: 'invitation', to, url: 'https://jobs.example/invitations#dli_x', days: 7, role: 'admin' },
    advertiserName: 'Harbour',
  },
}

describe('emails', () => {
  for (const message of Object.values(messages)) {
    test(`${message.kind} names the board, and no other`, () => {
      const { subject, text } = mailOf(message, { name: 'Quay <b>Jobs</b>' })
      assert.ok(text.includes('Quay <b>Jobs</b>'), text)
      assert.doesNotMatch(`${subject} ${text}`, /Dossier|Questions\?|undefined/)
    })

    test(`${message.kind} ends with the contact, if the operator has named one`, () => {
      const contact = (contactUrl: string) => mailOf(message, { name: 'Quay Jobs', contactUrl }).text
      assert.match(
        contact('mailto:help@quay.example'),
        /\n\nQuestions\? Contact Quay Jobs: help@quay\.example\n$/,
      )
      assert.match(contact('https://quay.example/help'), /Jobs: https:\/\/quay\.example\/help\n$/)
    })
  }
})
