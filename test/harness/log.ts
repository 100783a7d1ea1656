import assert from 'node:assert/strict'
import type { Log } from '../../src/platform/core/log.ts'

export interface RecordedLine {
  level: keyof Log
  message: string
  fields: Record<string, unknown>
}

/** A log that keeps its lines. */
export function recordLog(): { log: Log; lines: RecordedLine[] } {
  const lines: RecordedLine[] = []
  const write = (level: keyof Log) => (fields: object, message: string) =>
    void lines.push({ level, message, fields: { ...fields } })
  return { log: { info: write('info'), warn: write('warn'), error: write('error') }, lines }
}

/** For tests in which no failure may go unnoticed. */
export const noLog: Log = {
  info: (_fields, message) => assert.fail(message),
  warn: (_fields, message) => assert.fail(message),
  error: (_fields, message) => assert.fail(message),
}
