import assert from 'node:assert/strict'
import { formsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { type Browser, localPath } from '../harness/oauth.ts'

/** Fills in and sends the forms of the operator's pages, and notes which were sent and which ask a question first. */
export function fillsForms({
  omar,
  promised,
  count,
}: {
  omar(): Browser
  /** By route: the entry in the audit log that each form promises. */
  promised: ReadonlyMap<string, string>
  /** How many entries the log has of an action. */
  count(action: string): Promise<number>
}) {
  const sent = new Set<string>()
  const asked = new Set<string>()

  /** Does what was promised go into the log? */
  async function recorded(url: string, work: () => Promise<Answer>): Promise<Answer> {
    const action = promised.get(url) ?? assert.fail(`${url} is no form of the operator`)
    const known = await count(action)
    const answer = await work()
    assert.ok((await count(action)) > known, `${url}: ${action}: ${answer.status} ${answer.text}`)
    sent.add(url)
    return answer
  }

  /**
   * Fills in and sends a form as its page shows it. `which`: a field that tells it from others to the same address.
   * `button`: the one that was pressed.
   */
  async function fill(
    url: string,
    page: string,
    {
      path = url,
      fields = {},
      which,
      button,
    }: {
      path?: string
      fields?: Record<string, string>
      which?: [string, string]
      button?: [string, string]
    } = {},
  ): Promise<Answer> {
    const { text } = await omar().get(page)
    const form = formsOf(text).find(
      each =>
        each.action === path &&
        (which === undefined || each.fields.some(([name, value]) => name === which[0] && value === which[1])),
    )
    return recorded(url, async () => {
      const answer = await omar().submit(form ?? assert.fail(`no form ${path} on ${page}: ${text}`), {
        fields,
        ...(button && { button }),
      })
      const question = questionIn(answer)
      if (question === undefined) return answer
      asked.add(url)
      return omar().submit(question)
    })
  }

  /** The form that asks again before an act that cannot be taken back. */
  const questionIn = ({ text }: Answer) =>
    formsOf(text).find(({ fields }) => fields.some(([name]) => name === 'confirmed'))

  /** Sends it, and returns the page to which it leads, which says that it is done. */
  async function done(...args: Parameters<typeof fill>): Promise<string> {
    const answer = await fill(...args)
    assert.equal(answer.status, 303, answer.text)
    const { text, status } = await omar().get(localPath(answer))
    assert.equal(status, 200)
    assert.match(text, /class="notice good"/, args[0])
    return text
  }

  return { sent, asked, recorded, fill, questionIn, done }
}
