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
      shown('- a\n  - b\n    - c\n  - d\n- e\n\n  more\n\nThen\n\n3. f\n   * g\n4. h'),
      '<ul><li>a<ul><li>b<ul><li>c</li></ul></li><li>d</li></ul></li><li>e<br>more</li></ul><p>Then</p><ol start="3"><li>f<ul><li>g</li></ul></li><li>h</li></ol>',
    )
    assert.equal(
      shown('Role\n====\n## You ##\n> **a *b***, ***c*** and _d_e_\n\n---'),
      '<h3>Role</h3><h3>You</h3><p><strong>a <em>b</em></strong>, <strong><em>c</em></strong> and <em>d_e</em></p>',
    )
    const link = (href: string, words: string) => `<a href="${href}" rel="nofollow noopener">${words}</a>`
    assert.equal(
      shown(
        '*[b](https://b.au)*, https://b.au/c_(d) (https://b.au/e). j_d@b.au [https://x.au](https://b.au) [a [b](mailto:j@b.au)](https://c.au)',
      ),
      `<p><em>${link('https://b.au', 'b')}</em>, ${link('https://b.au/c_(d)', 'https://b.au/c_(d)')} (${link('https://b.au/e', 'https://b.au/e')}). ${link('mailto:j_d@b.au', 'j_d@b.au')} ${link('https://b.au', 'https://x.au')} [a ${link('mailto:j@b.au', 'b')}](https://c.au)</p>`,
    )
    assert.equal(
      shown('See [us](https://example.com/?a=1&b=2)'),
      '<p>See <a href="https://example.com/?a=1&amp;b=2" rel="nofollow noopener">us</a></p>',
    )
  })

  test('text without markup is unchanged', () => {
    assert.equal(shown('Pay: $72,000 to $78,000'), '<p>Pay: $72,000 to $78,000</p>')
    assert.equal(
      shown('2 * 3 * 4, snake_case_name, \\*no\\*, a\n\n-5 degrees'),
      '<p>2 * 3 * 4, snake_case_name, *no*, a</p><p>-5 degrees</p>',
    )
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
          /^( start="[0-9]+"| href="(https?|mailto):[^"<>]*" rel="nofollow noopener")?$/,
        )
      }
    })
  }

  const patterns =
    String.raw`>~ -~ -~-~a\n ~~-~a\n 1.~ * **a* *a_ _a* __a__b *a* [ ]( [a]( [a](https://b [*a](https://b)~ ![[]() a@ a. https://a) https:// < \\ a\n a\n\n -~a\n -\n # \n ~`
      .split(' ')
      .map(each => each.replaceAll('~', ' ').replaceAll('\\n', '\n'))
  // Five times the longest ad: a reader that takes quadratic time would not end within the time of a test.
  for (const pattern of patterns) {
    test(`ends soon, however often it is repeated: ${JSON.stringify(pattern)}`, () => {
      const text = pattern.repeat(100_000 / pattern.length)
      assert.ok(shown(text).length < 40 * text.length)
      assert.ok(excerpt(text, 220).length <= 221)
    })
  }

  test('lists and emphasis are nested to a limit', () => {
    const stairs = Array.from({ length: 200 }, (_, depth) => `${' '.repeat(2 * depth)}- a`).join('\n')
    assert.equal(shown(stairs).match(/<ul>/g)?.length, 8)
    const marks = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? '*a ' : '_b '))
    const ends = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? 'c_' : 'd*'))
    assert.equal(shown(`${marks.join('')}${ends.join(' ')}`).match(/<em>/g)?.length, 8)
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
          /<\/?(p|h3|ul|ol|li|strong|em|br)>|<ol start="[0-9]+">|<a href="[^"<>]*" rel="nofollow noopener">|<\/a>/g,
          '',
        )
        return !/[<>"]/.test(rest)
      }),
    )
  })
})

describe('excerpts', () => {
  test('lose their marks and are cut at a word', () => {
    assert.equal(excerpt('Hello.\n# Role\n- open early\n- close', 40), 'Hello. open early; close')
    assert.equal(excerpt('# Role', 40), 'Role')
    assert.equal(excerpt('one two three', 9), 'one two…')
    assert.equal(excerpt('2 * 3 = 6', 40), '2 * 3 = 6')
    assert.equal(excerpt('Role\n---\n> 1. Ask [us](https://b.au) or *j_d@b.au*', 60), 'Ask us or j_d@b.au')
    assert.equal(excerpt('😀'.repeat(9), 5), '😀😀…')
  })
})
