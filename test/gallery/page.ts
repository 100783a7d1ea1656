import { plainBoard } from '../../src/platform/core/brand/board.ts'
import { assetText, assetUrl } from '../../src/platform/web/assets.ts'
import { html } from '../../src/platform/web/html.ts'
import { layout } from '../../src/platform/web/layout.ts'
import { boardPages } from '../../src/site/board-markup.ts'
import { componentsMarkup } from './components.ts'
import { designTokens } from './design-tokens.ts'
import { componentsTexts as texts } from './texts.ts'

/** The page of every component in every state. The long run of the browser tests checks it and takes pictures of it. */
export const galleryPage = (): string =>
  layout(
    {
      title: texts.title,
      isWide: true,
      styles: [assetUrl('chart.css')],
      head: html`<style>
.swatch { display: inline-flex; gap: var(--space-2); align-items: center; }
.swatch svg { width: 3rem; height: 2rem; border: 1px solid var(--edge); border-radius: var(--radius); }
</style>`,
      body: componentsMarkup(designTokens(assetText('style.css'))),
    },
    { board: { ...plainBoard, ...boardPages }, viewer: undefined, theme: undefined, path: '/' },
  )
