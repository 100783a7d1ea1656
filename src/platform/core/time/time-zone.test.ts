import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayAfter, dayIn, isoIn, readTimeZone, startOfDay, timeZones, whenClocksShow } from './time-zone.ts'

test('only named zones are accepted', () => {
  assert.equal(readTimeZone('Australia/Sydney'), 'Australia/Sydney')
  assert.equal(readTimeZone('australia/sydney'), 'Australia/Sydney')
  assert.equal(readTimeZone('UTC'), 'UTC')
  for (const wrong of ['', ' ', '+10:00', 'Mars/Olympus', 'Australia', 'Australia/Sydney ', 'UTC\n', '10']) {
    assert.equal(readTimeZone(wrong), undefined, JSON.stringify(wrong))
  }
  assert.ok(timeZones().includes('Australia/Brisbane') && timeZones().includes('UTC'))
  for (const zone of timeZones()) assert.ok(readTimeZone(zone) !== undefined, zone)
})

test("a moment is written with the zone's offset at that moment", () => {
  for (const [at, zone, told] of [
    ['2026-11-14T00:00:00Z', 'Australia/Brisbane', '2026-11-14T10:00:00.000+10:00'],
    // Sydney's clocks go forward on 4 October 2026 at 2 am.
    ['2026-10-03T15:59:59.999Z', 'Australia/Sydney', '2026-10-04T01:59:59.999+10:00'],
    ['2026-10-03T16:00:00Z', 'Australia/Sydney', '2026-10-04T03:00:00.000+11:00'],
    ['2026-11-14T00:00:00Z', 'America/St_Johns', '2026-11-13T20:30:00.000-03:30'],
    ['2026-11-14T00:00:00Z', 'UTC', '2026-11-14T00:00:00.000+00:00'],
    ['2026-06-14T00:00:00Z', 'Europe/London', '2026-06-14T01:00:00.000+01:00'],
  ] as const) {
    assert.equal(isoIn(Date.parse(at), zone), told)
    assert.equal(dayIn(Date.parse(at), zone), told.slice(0, 10))
  }
})

test('a day begins at its first moment, even when clocks change', () => {
  for (const [day, zone, starts] of [
    ['2026-11-14', 'Australia/Brisbane', '2026-11-13T14:00:00.000Z'],
    ['2026-10-04', 'Australia/Sydney', '2026-10-03T14:00:00.000Z'],
    ['2026-10-05', 'Australia/Sydney', '2026-10-04T13:00:00.000Z'],
    ['2027-04-04', 'Australia/Sydney', '2027-04-03T13:00:00.000Z'],
    ['2027-04-05', 'Australia/Sydney', '2027-04-04T14:00:00.000Z'],
    // Cairo has no midnight on this day: it begins at one o'clock.
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    // Havana has two: the first counts.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    // Samoa skipped this day, so the next one begins.
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
  ] as const) {
    assert.equal(new Date(startOfDay(day, zone)).toISOString(), starts, `${day} ${zone}`)
  }
})

test('a time of day comes once, even when clocks change', () => {
  for (const [day, zone, comes] of [
    ['2026-03-28', 'Europe/Berlin', '2026-03-28T07:00:00.000Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-29T06:00:00.000Z'],
    ['2026-10-25', 'Europe/Berlin', '2026-10-25T07:00:00.000Z'],
    // Half an hour forward, and back again.
    ['2026-10-03', 'Australia/Lord_Howe', '2026-10-02T21:30:00.000Z'],
    ['2026-10-04', 'Australia/Lord_Howe', '2026-10-03T21:00:00.000Z'],
    ['2027-04-04', 'Australia/Lord_Howe', '2027-04-03T21:30:00.000Z'],
  ] as const) {
    assert.equal(new Date(whenClocksShow(day, '08:00', zone)).toISOString(), comes, `${day} ${zone}`)
  }
  const at = (time: string, zone: string, day: string) =>
    new Date(whenClocksShow(day, time, zone)).toISOString()
  // Berlin skips 2:30 on this day, and has it twice on that.
  assert.equal(at('02:30', 'Europe/Berlin', '2026-03-29'), '2026-03-29T01:30:00.000Z')
  assert.equal(at('02:30', 'Europe/Berlin', '2026-10-25'), '2026-10-25T00:30:00.000Z')
})

test('in zones around the world, each day ends where the next begins', () => {
  for (const zone of timeZones().filter((_, index) => index % 9 === 0)) {
    let day = '2026-02-27'
    for (let step = 0; step < 20; step++) {
      const next = dayAfter(day)
      const [starts, ends] = [startOfDay(day, zone), startOfDay(next, zone)]
      assert.equal(dayIn(starts, zone), day, `${zone} ${day}`)
      assert.ok(dayIn(starts - 1, zone) < day, `${zone} ${day}`)
      assert.equal(dayIn(ends - 1, zone), day, `${zone} ${day}`)
      day =
        step % 2 === 0
          ? next
          : dayAfter(new Date(Date.parse(day) + 36 * 86_400_000).toISOString().slice(0, 10))
    }
  }
})

test('the last day of four digits ends like any other', () => {
  for (const zone of ['UTC', 'Australia/Sydney', 'America/New_York', 'Pacific/Kiritimati']) {
    const day = '9999-12-31'
    assert.equal(startOfDay(dayAfter(day), zone) - startOfDay(day, zone), 86_400_000, zone)
  }
})
