import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assetText } from '../../src/platform/web/assets.ts'
import { galleryPage } from './page.ts'

test('the gallery shows every token of the style sheet in both themes', () => {
  const page = galleryPage()
  const css = assetText('style.css')
  const tokens = css.slice(css.indexOf(':root'), css.indexOf('*{'))
  const names = [...tokens.matchAll(/(--[\w-]+):/g)].map(([, name]) => name)
  assert.ok(names.length > 20)
  for (const name of names) assert.ok(page.includes(`<code>${name}</code>`), name)
  for (const colour of tokens.match(/#[0-9a-f]{6}\b/g) ?? [])
    assert.ok(page.includes(`fill="${colour}"`), colour)
})
