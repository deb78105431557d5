import './app.css';
import { mount } from 'svelte';
import ConsolePage from './view/ConsolePage.svelte';

const target = document.querySelector('#app');
if (target === null) throw new Error('Invariant: console.html has #app');
mount(ConsolePage, { target });
