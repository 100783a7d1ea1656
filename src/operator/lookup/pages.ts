import type { RouteOptions } from 'fastify'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { badge, table, valueList } from '../../platform/web/components.ts'
import { type Forms, inputs, row, textInput } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { good } from '../../platform/web/tab.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { FoundPerson } from '../board-store.ts'
import { operatorTab } from '../tab-pages.ts'
import { applicationCount, describeErased, reportCount } from './erased-texts.ts'
import type { PersonLookup } from './service.ts'

const path = '/operator/lookup'
const resetLabel = 'Remove passkeys and app'
const resetText =
  'For a person who has lost them all, or whose account someone else has taken over. Removes every passkey, the authenticator app, the recovery codes and the links to other sign-ins, signs the account out everywhere and tells its owner by email. Make sure that it’s the owner who asks.'
const eraseLabel = 'Erase this person’s data'

/** Everything stored about one email address, and its erasure. */
export function operatorLookupPages(deps: { lookup: PersonLookup; sessions: Sessions }): RouteOptions[] {
  const { lookup } = deps
  const typedIn = ({ value }: { value(name: string): string }) => ({
    email: value('email'),
    reason: value('reason'),
  })

  return operatorTab(deps.sessions, 'lookup')(path, {
    show: ({ form, canChange }) => ({
      title: 'Look up a person',
      failed: 'Nothing was looked up.',
      body: html`<p>For a request to erase data. You see IDs and counts, nothing that the person wrote. Each look-up goes into the audit log with its reason.</p>
${
  canChange &&
  form({
    action: path,
    fields: [
      row(
        textInput({ name: 'email', label: 'Exact email address', attributes: inputs.email }),
        textInput({
          name: 'reason',
          label: 'Reason',
          hint: 'For the audit log, without names: for instance “erasure request 2026-114”.',
          attributes: inputs.requiredText,
        }),
      ),
    ],
    label: 'Look up person',
  })
}
`,
    }),
    acts: {
      '': {
        command: 'person find',
        audit: 'person.look-up',
        async run(call) {
          const values = typedIn(call)
          const looked = await lookup.find(values.email, values.reason)
          if (looked.outcome === 'invalid') return { errors: looked.errors }
          return { values, below: foundMarkup(looked.result, values, call) }
        },
      },
      'reset-factor': {
        command: 'person reset-factor',
        audit: 'factor.reset',
        proof: 'sign-in',
        async confirm(call) {
          const fields = typedIn(call)
          const title = `Remove the passkeys and the app of ${fields.email}?`
          return { title, text: resetText, label: resetLabel, back: path, fields }
        },
        async run({ value }) {
          const reset = await lookup.resetFactors(value('email'), value('reason'))
          if (reset.outcome === 'invalid') return { errors: reset.errors }
          return good(
            reset.result === 'reset'
              ? 'Removed. The owner gets an email.'
              : 'This account has no passkey, no app and no link to another sign-in.',
          )
        },
      },
      erase: {
        command: 'person erase',
        audit: 'person.erase',
        async confirm(call) {
          const fields = typedIn(call)
          // Once confirmed, the erasure does its own lookup and records it.
          const isConfirmed = call.fields.has('confirmed')
          const looked = isConfirmed ? undefined : await lookup.find(fields.email, fields.reason)
          if (looked?.outcome === 'invalid') return undefined
          const title = `Erase all data of ${fields.email}?`
          const text = looked
            ? eraseText(looked.result)
            : 'Erases the applications and deletes the account. It can’t be undone.'
          return { title, text, label: eraseLabel, back: path, fields, address: fields.email }
        },
        async run({ value }) {
          const erased = await lookup.erase(value('email'), value('reason'))
          return erased.outcome === 'invalid'
            ? { errors: erased.errors }
            : good(describeErased(erased.result))
        },
      },
    },
  })
}

function foundMarkup(person: FoundPerson, hidden: Record<string, string>, { form }: Forms): Html {
  const { account, applications, reports } = person
  if (account === undefined && applications.length === 0 && reports === 0)
    return html`<p>Nothing is stored about this address.</p>`
  return html`<h2>What is stored</h2>
${accountMarkup(account)}
${reports > 0 && html`<p>The address stands with ${reportCount(reports)}.</p>`}
${table({
  caption: 'Applications with this address',
  empty: html``,
  rows: applications,
  columns: [
    ['Company', ({ advertiserId }) => advertiserId],
    ['Application', ({ applicationId }) => applicationId],
    ['Sent', ({ submittedAt }) => timeElement(submittedAt)],
    ['Status', ({ status, isOnHold }) => html`${status}${isOnHold && html` ${badge('warning', 'On hold')}`}`],
  ],
})}
${account && form({ action: `${path}/reset-factor`, hidden, text: resetText, label: resetLabel, kind: 'second' })}
${form({ action: `${path}/erase`, hidden, text: eraseText(person), label: eraseLabel, kind: 'danger' })}`
}

function eraseText({ account, applications, reports }: FoundPerson): string {
  const count = applicationCount(applications.filter(({ isOnHold }) => !isOnHold).length)
  const text =
    account === undefined
      ? `Erases ${count} at once. It can’t be undone. Applications on hold stay; IDs, dates and references stay as with every erasure.`
      : `Erases ${count} and deletes the account at once. It can’t be undone. Applications on hold stay; IDs, dates and references stay as with every erasure.`
  return reports === 0 ? text : `${text} Removes the address from ${reportCount(reports)}.`
}

function accountMarkup(account: FoundPerson['account']): Html {
  const yesOrNo = (is: boolean) => (is ? 'Yes' : 'No')
  if (account === undefined) return valueList([['Account', 'None']])
  return valueList([
    ['Account', html`<code>${account.candidateId}</code>`],
    ['Created', timeElement(account.createdAt)],
    ['Address confirmed', yesOrNo(account.isConfirmed)],
    ['Resumes', account.resumes],
    ['Consents in force', account.consents],
    ['Companies that the person works for', account.companies],
    ['Operator', yesOrNo(account.isOperator)],
  ])
}
