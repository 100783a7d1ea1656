import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { accentsOf, contrast, parseColour, surfaces } from './colour.ts'

const rgb = (text: string) => parseColour(text) ?? assert.fail(text)

describe('colours of a board', () => {
  test('black on white has the contrast 21, a colour on itself 1', () => {
    assert.equal(contrast(rgb('#000000'), rgb('#ffffff')), 21)
    assert.equal(contrast(rgb('#123456'), rgb('#123456')), 1)
  })

  test('anything but six hexadecimal digits is refused', () => {
    for (const text of ['', 'red', '#fff', '#12345g', '#0b5cad;}', 'rgb(0,0,0)']) {
      assert.throws(() => accentsOf(text), /must be a colour such as #0b5cad/)
    }
  })

  test('a pale colour is refused with a darker one that is accepted', () => {
    assert.throws(
      () => accentsOf('#ffd400'),
      ({ message }: Error) => {
        assert.match(message, /its contrast is 1\.\d:1/)
        const [nearest = ''] = /#[0-9a-f]{6}/.exec(message) ?? []
        return accentsOf(nearest).light.accent === nearest
      },
    )
  })

  test('every accepted colour is readable everywhere, in light and in dark', () => {
    const colours = fc
      .integer({ min: 0, max: 0xffffff })
      .map(number => `#${number.toString(16).padStart(6, '0')}`)
    fc.assert(
      fc.property(colours, text => {
        let accents: ReturnType<typeof accentsOf>
        try {
          accents = accentsOf(text)
        } catch (error) {
          return /would do/.test((error as Error).message)
        }
        return (['light', 'dark'] as const).every(theme => {
          const { accent, ink, soft } = accents[theme]
          return [surfaces[theme], soft, ink].every(other => contrast(rgb(accent), rgb(other)) >= 4.5)
        })
      }),
    )
  })
})
