;(() => {
  const main = document.getElementById('main')
  let isTouched = false

  /** How much of what is allowed is used, once it matters: nobody counts the first words. */
  function count(field) {
    const most = Number(field.dataset.most)
    const template = field.dataset.counter
    if (!most || !template) return
    let counter = document.getElementById(`${field.id}-count`)
    const { length } = field.value.trim()
    if (length <= most * 0.8) {
      counter?.remove()
      return
    }
    if (!counter) {
      counter = document.createElement('span')
      counter.className = 'hint'
      counter.id = `${field.id}-count`
      field.after(counter)
    }
    counter.textContent = template.replace('{length}', length).replace('{most}', most)
  }

  const countAll = () => main.querySelectorAll('[data-posting] [data-counter]').forEach(count)

  /** The buttons that add, move and remove: the answer of the server takes the place of the form, without a jump. */
  async function change(form, button) {
    const body = new URLSearchParams(new FormData(form, button))
    form.setAttribute('aria-busy', 'true')
    try {
      const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } })
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const next = page.querySelector('form[data-builder]')
      if (!answer.ok || !next) throw new Error('no form')
      const focus = next.querySelector('[autofocus]')
      // Browsers heed it when a page is loaded, and complain later.
      focus?.removeAttribute('autofocus')
      form.replaceWith(next)
      main.querySelector('.preview')?.remove()
      isTouched = true
      countAll()
      focus?.focus()
    } catch {
      // Whatever it was, the browser can ask for itself, and show what comes.
      form.removeAttribute('aria-busy')
      form.dataset.plain = ''
      form.requestSubmit(button)
    }
  }

  function onSubmit(event) {
    const { target: form, submitter } = event
    if (!form.matches('[data-posting]')) return
    const isEdit = submitter !== null && 'edit' in submitter.dataset
    if (!isEdit || !('builder' in form.dataset) || 'plain' in form.dataset) {
      isTouched = false
      return
    }
    event.preventDefault()
    if (form.getAttribute('aria-busy') !== 'true') change(form, submitter)
  }

  // On the way down: before the script of every page takes it for a form that is sent.
  document.addEventListener('submit', onSubmit, { capture: true })

  document.addEventListener('input', ({ target }) => {
    if (!target.closest?.('[data-posting]')) return
    isTouched = true
    if ('counter' in target.dataset) count(target)
  })

  // The browser asks in its own words before what was typed is lost.
  addEventListener('beforeunload', event => {
    if (isTouched) event.preventDefault()
  })

  countAll()
})()
