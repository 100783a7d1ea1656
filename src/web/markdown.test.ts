import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { excerpt, markdown } from './markdown.ts'

const shown = (text: string) => markdown(text).text

describe('what people write in Markdown', () => {
  test('headings, lists, emphasis, links and line breaks', () => {
    assert.equal(
      shown(
        '# Role\nRun the bar.\nEvery day.\n\nYou will\n- open **early**\n- close *late*\n\n1. Write\n2. Wait',
      ),
      '<h3>Role</h3><p>Run the bar.<br>Every day.</p><p>You will</p><ul><li>open <strong>early</strong></li><li>close <em>late</em></li></ul><ol><li>Write</li><li>Wait</li></ol>',
    )
    assert.equal(
      shown('See [us](https://example.com/?a=1&b=2)'),
      '<p>See <a href="https://example.com/?a=1&amp;b=2" rel="nofollow noopener">us</a></p>',
    )
  })

  test('text without markup is unchanged', () => {
    assert.equal(shown('Pay: $72,000 to $78,000'), '<p>Pay: $72,000 to $78,000</p>')
    assert.equal(shown('5 < 6 & "7"'), '<p>5 &lt; 6 &amp; &quot;7&quot;</p>')
  })

  const hostile = [
    '<script>alert(1)</script>',
    'a <img src=x onerror=alert(1)> b',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>)',
    '![x](https://example.com/pixel.png)',
    '<https://example.com/"onmouseover=alert(1)>',
    '[x]: javascript:alert(1)\n\n[x]',
    '```\n<b>\n```',
    '| a | b |\n|---|---|\n| <b> | 2 |',
  ]
  for (const text of hostile) {
    test(`shown as text: ${JSON.stringify(text)}`, () => {
      const tags = [...shown(text).matchAll(/<\/?([a-z0-9]+)([^>]*)>/gi)]
      for (const [tag, name, attributes] of tags) {
        assert.match(String(name), /^(p|h3|ul|ol|li|strong|em|br|a)$/, tag)
        assert.match(
          String(attributes),
          /^( class="written"| href="(https?|mailto):[^"<>]*" rel="nofollow noopener")?$/,
        )
      }
    })
  }

  test('endless nesting stays bounded', () => {
    for (const text of ['> '.repeat(5000), '- '.repeat(5000), '*'.repeat(9000), '[', '**a*'.repeat(2000)]) {
      assert.ok(shown(text).length < 20 * text.length + 100)
    }
  })

  test('no text produces elements other than ours', () => {
    const marks = fc.array(
      fc.constantFrom(
        '#',
        '-',
        '*',
        '_',
        '[',
        ']',
        '(',
        ')',
        '<',
        '>',
        '&',
        '"',
        '`',
        '\n',
        ' ',
        'a',
        '1.',
        'https:',
        'javascript:',
      ),
    )
    fc.assert(
      fc.property(marks, parts => {
        const rest = shown(parts.join('')).replace(
          /<\/?(p|h3|ul|ol|li|strong|em|br)>|<p class="written">|<a href="[^"<>]*" rel="nofollow noopener">|<\/a>/g,
          '',
        )
        return !/[<>"]/.test(rest)
      }),
    )
  })
})

describe('excerpts', () => {
  test('lose their marks and are cut at a word', () => {
    assert.equal(excerpt('# Role\n- open **early**\n- close', 40), 'Role open early close')
    assert.equal(excerpt('one two three', 9), 'one two…')
    assert.equal(excerpt('2 * 3 = 6', 40), '2 * 3 = 6')
  })
})
