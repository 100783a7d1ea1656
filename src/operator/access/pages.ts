import type { RouteOptions } from 'fastify'
import { type OperatorRole, operatorRoles } from '../../model/principal.ts'
import type { Operators } from '../../people/members/operators-service.ts'
import { inviteForm, isLast, peopleMarkup } from '../../people/members/people-pages.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { stripBidi } from '../../platform/web/bidi.ts'
import { invitationLink } from '../../platform/web/components.ts'
import { html } from '../../platform/web/html.ts'
import { refusal } from '../../platform/web/tab.ts'
import { operatorTab } from '../tab-pages.ts'

const path = '/operator/people'

/** The people who run the board. */
export function operatorPeoplePages(deps: {
  operators: Operators
  sessions: Sessions
  authUrl(): string
}): RouteOptions[] {
  const { operators } = deps
  const missing = refusal('This person or invitation is no longer in the list.')
  const last = refusal('This is the last operator. Invite another first.')

  return operatorTab(deps.sessions, 'people')(path, {
    async show({ caller, form, button, canChange }) {
      const [people, invitations] = await Promise.all([operators.list(), operators.listInvitations()])
      return {
        title: 'Operators',
        failed: 'No invitation was created.',
        body: html`<p>These people run the job board. Operators change it; viewers only look.</p>
${peopleMarkup({
  caption: 'People who run the job board',
  ownId: caller.candidateId,
  people,
  invitations,
  canChange,
  readOnly: 'Only operators can invite people or remove them.',
  actionsOf: ({ candidateId, email }) =>
    isLast(people, 'operator', candidateId)
      ? html`<span class="quiet">Only operator</span>`
      : button({
          action: `${path}/remove`,
          fields: { person: candidateId },
          label: 'Remove operator',
          describedAs: `Remove operator: ${stripBidi(email)}`,
          kind: 'danger',
        }),
  revoke: ({ id, email }) =>
    button({
      action: `${path}/withdraw`,
      fields: { invitation: id },
      label: 'Revoke',
      describedAs: `Revoke: ${stripBidi(email)}`,
    }),
})}
${
  canChange &&
  inviteForm(form, {
    action: path,
    title: 'Invite an operator',
    text: days =>
      `You get a link that works once, for ${days} days, and only for this address. Send it yourself: we don’t email it.`,
    roles: operatorRoles.map(id => ({ id, description: roleMeanings[id] })),
    label: 'Create invitation',
  })
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
              title: `Remove ${stripBidi(operator.email)}?`,
              text: 'They lose access to these pages with their next request. To let them in again, invite them.',
              label: 'Remove operator',
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
      removed: 'Removed. They lose access with their next request.',
      'taken-back': 'The invitation no longer works.',
    },
  })
}

const roleMeanings: Record<OperatorRole, string> = {
  operator: 'Operator: sees and changes everything here',
  viewer: 'Viewer: sees everything here, changes nothing',
}
