import './app.css';
import { mount } from 'svelte';
import MarketsPage from './view/MarketsPage.svelte';

const target = document.querySelector('#app');
if (target === null) throw new Error('Invariant: markets.html has #app');
mount(MarketsPage, { target });
