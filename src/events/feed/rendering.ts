import { renderEvent, renderRestored, type Stream } from '../../model/events.ts'
import { type Format, pieceSeparator } from '../../model/v1/rendering.ts'
import { xmlDeclaration, xmlElement, xmlNil, xsiNamespace } from '../../platform/core/xml.ts'
import { type FeedEvent, type JsonPage, type PageState, pageRoom } from './records.ts'

/** Later events belong to another history than the cursor's: events read before may be gone. */
export interface Restored {
  restoredAt: number
}

export type AnsweredEvent = FeedEvent | Restored

export interface FeedAnswer {
  events: readonly AnsweredEvent[]
  cursor: string
  /** Whether another request right now would return more. */
  more: boolean
}

/** A follower's result: events, or the same as JSON, and the cursor at which to continue. */
export interface Answer<Page extends PageState> {
  /** Undefined if no page was read. */
  page: Page | undefined
  /** Set if the history has changed since the cursor: events read before may be gone. */
  restoredAt: number | undefined
  cursor: string
  /** Whether another request right now would return more. */
  more: boolean
}

const jsonHead = '{"events":['
const jsonTail = (cursor: string, more: boolean) => `],"cursor":"${cursor}","more":${more}}`

/** An advertiser's events, rendered by the store. */
export function frameJson(advertiserId: number, answer: Answer<JsonPage>): Buffer | string {
  const { page, restoredAt, cursor, more } = answer
  const hasEvents = page?.newest !== undefined
  const first = restoredAt === undefined ? '' : envelopeOf({ advertiserId }, { restoredAt })
  const head = `${jsonHead}${first}${first !== '' && hasEvents ? ',' : ''}`
  const tail = jsonTail(cursor, more)
  if (!hasEvents) return head + tail
  const { json } = page
  const end = json.length - pageRoom
  // Callers that share the page write the same bytes into it.
  json.write(head, pageRoom - head.length, 'latin1')
  json.write(tail, end, 'latin1')
  return json.subarray(pageRoom - head.length, end + tail.length)
}

/** Renders a feed that the store does not render, with the same tree in both formats. */
export function renderFeed(format: Format, stream: Stream, { events, cursor, more }: FeedAnswer): string {
  if (format === 'json') {
    const texts = events.map(event => envelopeOf(stream, event))
    return `${jsonHead}${texts.join(',')}${jsonTail(cursor, more)}`
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

const envelopeOf = (stream: Stream, event: AnsweredEvent): string =>
  'number' in event ? renderEvent(stream, event) : renderRestored(stream, event.restoredAt)

type Json = string | number | boolean | null | { [name: string]: Json }

const membersOf = (value: { [name: string]: Json }): string =>
  Object.entries(value)
    .map(([name, member]) => {
      if (member === null) return xmlNil(name)
      return typeof member === 'object' ? `<${name}>${membersOf(member)}</${name}>` : xmlElement(name, member)
    })
    .join('')
