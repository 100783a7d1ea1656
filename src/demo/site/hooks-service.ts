import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, EpochMs } from '../../core/clock.ts'

export interface ReceivedHook {
  at: EpochMs
  id: string
  type: string
  body: string
}

/** Signatures older or newer than this are rejected. */
const toleranceMs = 300_000
const mostKept = 20

export type HookReceiver = ReturnType<typeof createHookReceiver>

/**
 * What Northwind does with webhooks: it verifies them as the guide says, recognises repetitions by their ID, and shows
 * them. `secret` is undefined until the endpoint was added.
 */
export function createHookReceiver({ secret, clock }: { secret(): string | undefined; clock: Clock }) {
  let received: ReceivedHook[] = []

  function isGenuine(headers: Record<string, unknown>, body: string): boolean {
    const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(name =>
      String(headers[`webhook-${name}`]),
    )
    if (Math.abs(Number(timestamp) * 1000 - clock()) > toleranceMs) return false
    const key = Buffer.from((secret() ?? '').replace(/^whsec_/, ''), 'base64')
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest()
    return (signatures ?? '').split(' ').some(signature => {
      const [version, value = ''] = signature.split(',')
      const given = Buffer.from(value, 'base64')
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
    })
  }

  return {
    /** False if it does not come from the board. */
    receive(headers: Record<string, unknown>, body: string): boolean {
      if (secret() === undefined || !isGenuine(headers, body)) return false
      const id = String(headers['webhook-id'])
      const { type } = JSON.parse(body) as { type: string }
      if (!received.some(hook => hook.id === id))
        received = [{ at: clock(), id, type, body }, ...received].slice(0, mostKept)
      return true
    },
    /** Newest first. */
    list: (): readonly ReceivedHook[] => received,
  }
}
