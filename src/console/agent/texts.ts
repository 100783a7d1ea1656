import { html } from '../../web/html.ts'

export const agentTexts = {
  companies: {
    title: 'Companies',
    lead: 'Companies that have authorised you. Your clients can get a token for each of them.',
    ownId: (id: number) =>
      html`Companies authorise you on their page “API access”, with your agent ID: <code>${id}</code>.`,
    caption: 'Companies that have authorised this agent',
    name: 'Company',
    id: 'ID',
    since: 'Since',
    onHold: 'On hold',
    empty: {
      title: 'No company has authorised you yet',
      text: 'Give your agent ID to the companies that you work for. An admin of each company authorises you in its console, on the page “API access”.',
    },
  },
} as const
