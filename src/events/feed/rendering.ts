import { xmlDeclaration, xmlElement, xmlNil, xsiNamespace } from '../../core/xml.ts'
import { renderEvent, type Stream } from '../../model/events.ts'
import { type Format, pieceSeparator } from '../../model/v1/rendering.ts'
import type { FeedEvent } from './ports.ts'

/** What follows is another history than the one of the cursor: what was seen before may be gone. */
export interface Restored {
  restoredAt: number
}

export type AnsweredEvent = FeedEvent | Restored

export interface FeedAnswer {
  events: readonly AnsweredEvent[]
  cursor: string
  /** Whether asking again at once brings more. */
  more: boolean
}

/** The same tree in both formats; an application is rendered as in the list. */
export function renderFeed(format: Format, stream: Stream, { events, cursor, more }: FeedAnswer): string {
  if (format === 'json') {
    const texts = events.map(event => {
      const text = envelopeOf(stream, event)
      return 'application' in event ? `${text.slice(0, -1)},"application":${event.application}}}` : text
    })
    return `{"events":[${texts.join(',')}],"cursor":"${cursor}","more":${more}}`
  }
  const texts = events.map(event => {
    const members = membersOf(JSON.parse(envelopeOf(stream, event)))
    const application = 'application' in event ? `${event.application}${pieceSeparator.xml}` : ''
    return `<event>${members}${application}</event>`
  })
  return (
    `${xmlDeclaration}<feed${xsiNamespace}><events>${texts.join('')}</events>` +
    `${xmlElement('cursor', cursor)}${xmlElement('more', more)}</feed>`
  )
}

function envelopeOf(stream: Stream, event: AnsweredEvent): string {
  if ('number' in event) return renderEvent(stream, event)
  const name = 'advertiserId' in stream ? `${stream.advertiserId}` : stream.clientId
  const timestamp = new Date(event.restoredAt).toISOString()
  const data = { ...('advertiserId' in stream ? stream : {}), since: timestamp }
  return JSON.stringify({
    id: `evt_${name}_restored_${event.restoredAt}`,
    type: 'stream.restored',
    timestamp,
    data,
  })
}

type Json = string | number | boolean | null | { [name: string]: Json }

const membersOf = (value: { [name: string]: Json }): string =>
  Object.entries(value)
    .map(([name, member]) => {
      if (member === null) return xmlNil(name)
      return typeof member === 'object' ? `<${name}>${membersOf(member)}</${name}>` : xmlElement(name, member)
    })
    .join('')
