import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'

export interface ReceivedHook {
  at: EpochMs
  id: string
  type: string
  body: string
}

/** Signatures older or newer than this are rejected. */
const toleranceMs = 300_000
const maxKept = 20

export type HookReceiver = ReturnType<typeof createHookReceiver>

/**
 * Northwind's handling of webhooks: it verifies them as the guide says, recognises repetitions by their ID, and shows
 * them. There are no secrets until the endpoints have been added.
 */
export function createHookReceiver({ secrets, clock }: { secrets(): readonly string[]; clock: Clock }) {
  let received: ReceivedHook[] = []

  function isGenuine(headers: Record<string, unknown>, body: string): boolean {
    const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map(name =>
      String(headers[`webhook-${name}`]),
    )
    if (Math.abs(Number(timestamp) * 1000 - clock()) > toleranceMs) return false
    const given = (signatures ?? '').split(' ').map(signature => Buffer.from(signature))
    return secrets().some(secret => {
      const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
      const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
      const expected = Buffer.from(`v1,${mac}`)
      return given.some(each => each.length === expected.length && timingSafeEqual(each, expected))
    })
  }

  return {
    /** Returns false if the webhook does not come from the board. */
    receive(headers: Record<string, unknown>, body: string): boolean {
      if (!isGenuine(headers, body)) return false
      const id = String(headers['webhook-id'])
      const { type } = JSON.parse(body) as { type: string }
      if (!received.some(hook => hook.id === id))
        received = [{ at: clock(), id, type, body }, ...received].slice(0, maxKept)
      return true
    },
    /** Newest first. */
    list: (): readonly ReceivedHook[] => received,
  }
}
