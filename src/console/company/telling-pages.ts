import type { RouteOptions } from 'fastify'
import type { Advertisers } from '../../companies/service.ts'
import { type EmailChoice, emailChoices } from '../../model/application-status.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { choice } from '../../platform/web/forms.ts'
import { html } from '../../platform/web/html.ts'
import { consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

/** The page where an admin chooses what candidates learn about the progress of their applications. */
export function tellingPages({
  advertisers,
  sessions,
}: {
  advertisers: Pick<Advertisers, 'telling' | 'setTelling'>
  sessions: Sessions
}): RouteOptions[] {
  return consoleTab(sessions, 'telling', { view: 'admin' })('/console/:advertiserId/telling', {
    async show({ caller: { advertiserId }, form }) {
      const { emails, showsReasons } = await advertisers.telling(advertiserId)
      return {
        title: 'Telling candidates',
        body: html`<p>Candidates always see the status of their applications on their own pages. Choose here what else they learn.</p>
${form({
  action: consolePath(advertiserId, 'telling'),
  fields: [
    choice({
      name: 'emails',
      label: 'Tell candidates by email',
      hint: 'This holds for changes from now on. The person or program that changes a status can leave the email out, and candidates can switch these emails off.',
      value: emails,
      choices: emailChoices.map(id => ({ id, description: choiceLabels[id] })),
    }),
    choice({
      name: 'reasons',
      label: 'Reasons that your software reports, such as “The position has been filled”',
      hint: 'This also holds for reasons that were reported before.',
      value: showsReasons ? 'shown' : 'hidden',
      choices: [
        { id: 'hidden', description: 'Keep them to your company' },
        { id: 'shown', description: 'Show them to candidates on their pages' },
      ],
    }),
  ],
  label: 'Save choices',
})}`,
      }
    },
    acts: {
      '': {
        async run({ caller: { advertiserId }, value }) {
          const emails = emailChoices.find(each => each === value('emails'))
          if (emails === undefined) throw new Problem('bad-request')
          await advertisers.setTelling(advertiserId, { emails, showsReasons: value('reasons') === 'shown' })
          return 'saved'
        },
      },
    },
    done: { saved: 'Your choices have been saved.' },
  })
}

const choiceLabels: Record<EmailChoice, string> = {
  decisions: 'Of decisions: shortlisted, interview, offer, hired or not suitable',
  everything: 'Of every change',
  nothing: 'Of nothing',
}
