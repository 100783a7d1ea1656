import type { RouteOptions } from 'fastify'
import { type OperatorRole, operatorRoles } from '../../model/principal.ts'
import { invitationSeconds } from '../../people/members/links-service.ts'
import type { Operator, Operators } from '../../people/members/operators-service.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import { badge, invitationLink, table } from '../../platform/web/components.ts'
import { choice, inputs, row, textInput } from '../../platform/web/forms.ts'
import { html } from '../../platform/web/html.ts'
import { t } from '../../platform/web/t.ts'
import { refusal } from '../../platform/web/tab.ts'
import { shortDay } from '../../platform/web/time.ts'
import { operatorTab } from '../tab-pages.ts'

const path = '/operator/people'

/** The people who run the board. */
export function operatorPeoplePages(deps: {
  operators: Operators
  sessions: Sessions
  authUrl(): string
}): RouteOptions[] {
  const { operators } = deps
  const days = Math.floor(invitationSeconds / 86_400)
  const missing = refusal(t`This person or invitation is no longer in the list.`)
  const last = refusal(t`This is the last operator. Invite another first.`)

  return operatorTab(deps.sessions, 'people')(path, {
    async show({ caller, form, button, canChange }) {
      const [people, invitations] = await Promise.all([operators.list(), operators.listInvitations()])
      const changing = people.filter(({ role }) => role === 'operator')
      const removal = ({ candidateId, email }: Operator) =>
        changing.length === 1 && changing[0]?.candidateId === candidateId
          ? html`<span class="quiet">${t`Last operator: invite another before you remove this one.`}</span>`
          : button({
              action: `${path}/remove`,
              fields: { person: candidateId },
              label: t`Remove operator`,
              describedAs: t`Remove operator: ${stripBidi(email)}`,
              kind: 'danger',
            })
      return {
        title: t`Operators`,
        failed: t`No invitation was created.`,
        body: html`<p>${t`These people run the job board. Operators change it; viewers only look.`}</p>
<div class="people">${table({
          caption: t`People who run the job board`,
          rows: people,
          columns: [
            [
              t`Email address`,
              ({ email, candidateId }) =>
                html`${isolateBidi(email)}${candidateId === caller.candidateId && html` <span class="quiet">(${t`you`})</span>`}`,
            ],
            [t`Role`, roleBadge],
            [t`Since`, ({ since }) => shortDay(since)],
          ],
          actions: canChange && removal,
        })}
${
  invitations.length > 0 &&
  html`<h2>${t`Open invitations`}</h2>${table({
    caption: t`Open invitations of operators`,
    rows: invitations,
    columns: [
      [t`Email address`, ({ email }) => isolateBidi(email)],
      [t`Role`, roleBadge],
      [t`Invited`, ({ createdAt }) => shortDay(createdAt)],
      [t`Valid until`, ({ expiresAt }) => shortDay(expiresAt)],
    ],
    actions:
      canChange &&
      (({ id, email }) =>
        button({
          action: `${path}/withdraw`,
          fields: { invitation: id },
          label: t`Withdraw invitation`,
          describedAs: t`Withdraw invitation: ${stripBidi(email)}`,
        })),
  })}`
}</div>
${
  canChange &&
  html`<h2>${t`Invite an operator`}</h2>
${form({
  action: path,
  text: t`You get a link that works once, for ${days} days, and only for this address. Send it yourself: we don’t email it.`,
  fields: [
    row(
      textInput({ name: 'email', label: t`Email address`, attributes: inputs.email }),
      choice({ name: 'role', label: t`Role`, value: 'operator', choices: roleChoices }),
    ),
  ],
  label: t`Create invitation`,
})}`
}`,
      }
    },
    acts: {
      '': {
        command: 'operator invite',
        audit: 'operator.invite',
        async run({ value }) {
          const role = operatorRoles.find(each => each === value('role'))
          if (role === undefined) throw new Problem('bad-request', 'There is no such role.')
          const result = await operators.invite(value('email'), role, deps.authUrl())
          return result.outcome === 'invalid' ? { errors: result.errors } : { above: invitationLink(result) }
        },
      },
      withdraw: {
        command: 'operator remove',
        audit: 'operator.uninvite',
        run: async ({ value }) => ((await operators.takeBack(value('invitation'))) ? 'taken-back' : missing),
      },
      remove: {
        command: 'operator remove',
        audit: 'operator.remove',
        async confirm({ value }) {
          const person = value('person')
          const operator = (await operators.list()).find(({ candidateId }) => candidateId === person)
          return (
            operator && {
              title: t`Remove ${stripBidi(operator.email)}?`,
              text: t`They lose access to these pages with their next request. To let them in again, invite them.`,
              label: t`Remove operator`,
              back: path,
              fields: { person },
            }
          )
        },
        async run({ value }) {
          const result = await operators.remove(value('person'))
          return result === 'done' ? 'removed' : result === 'missing' ? missing : last
        },
      },
    },
    done: {
      removed: t`Removed. They lose access with their next request.`,
      'taken-back': t`The invitation no longer works.`,
    },
  })
}

const roleBadge = ({ role }: { role: OperatorRole }) =>
  role === 'operator' ? badge('good', t`Operator`) : badge('neutral', t`Viewer`)

const roleMeanings: Record<OperatorRole, string> = {
  operator: t`Operator: sees and changes everything here`,
  viewer: t`Viewer: sees everything here, changes nothing`,
}
const roleChoices = operatorRoles.map(id => ({ id, description: roleMeanings[id] }))
