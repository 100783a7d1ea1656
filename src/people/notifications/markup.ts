import { isMuted, topics } from '../../model/notice-topics.ts'
import { notice } from '../../web/components.ts'
import { flag, type Html, html } from '../../web/html.ts'
import type { Workplace } from '../members/ports.ts'
import type { Preferences } from './ports.ts'
import { notificationTexts as texts } from './texts.ts'

export const notificationsPath = '/account/notifications'

export function notificationsBody(page: {
  preferences: Preferences
  isMailOn: boolean
  workplaces: readonly Workplace[]
  token: string
}): Html {
  const { preferences } = page
  const ticks = topics.map(topic => {
    const { label, hint } = texts.topics[topic]
    return html`<label class="choice"><input type="checkbox" name="${topic}" value="yes" ${flag('checked', !isMuted(preferences.muted, topic))}> <span>${label}<span class="hint">${hint}</span></span></label>
`
  })
  return html`${!page.isMailOn && notice('info', texts.noMail)}
${preferences.refusedAt !== null && notice('warning', html`<p>${texts.refused}</p>`)}
<form class="card" method="post" action="${notificationsPath}">
<input type="hidden" name="form_token" value="${page.token}">
<fieldset class="choices"><legend><h2 class="first">${texts.topicsTitle}</h2></legend>
${ticks}</fieldset>
<div class="actions"><button type="submit">${texts.save}</button></div></form>
<section class="card" aria-labelledby="always"><h2 class="first" id="always">${texts.securityTitle}</h2>
<p>${texts.securityText}</p></section>
${page.workplaces.length > 0 && workMarkup(page.workplaces)}`
}

function workMarkup(workplaces: readonly Workplace[]): Html {
  const links = workplaces.map(
    ({ advertiserId, advertiserName }) =>
      html`<li><a href="/console/${advertiserId}/notifications">${texts.workLink(advertiserName)}</a></li>`,
  )
  return html`<section class="card" aria-labelledby="work"><h2 class="first" id="work">${texts.workTitle}</h2>
<p>${texts.workText}</p><ul>${links}</ul></section>`
}
